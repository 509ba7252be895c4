//! A shorter plan of chaos that still breaks the same rule.

use super::plan::Plan;
use crate::fewest::fewest;

/// Drops as many steps as possible while `fails` says that the rest still fails. A failure that does not
/// recur every time makes the result longer, never wrong.
pub fn minimise<E>(plan: &Plan, mut fails: impl FnMut(&Plan) -> Result<bool, E>) -> Result<Plan, E> {
    let mut best = plan.clone();
    best.steps = fewest(&plan.steps, |steps| fails(&Plan { steps: steps.to_vec(), ..plan.clone() }))?;
    drop_parties(&mut best, |plan| &mut plan.desks, &mut fails)?;
    drop_parties(&mut best, |plan| &mut plan.agents, &mut fails)?;
    Ok(best)
}

/// Drops parties that no step needs.
fn drop_parties<E>(
    best: &mut Plan,
    count: fn(&mut Plan) -> &mut usize,
    fails: &mut impl FnMut(&Plan) -> Result<bool, E>,
) -> Result<(), E> {
    loop {
        let mut smaller = best.clone();
        let parties = count(&mut smaller);
        if *parties <= 1 {
            return Ok(());
        }
        *parties -= 1;
        if !fails(&smaller)? {
            return Ok(());
        }
        *best = smaller;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chaos::Action;

    #[test]
    fn minimise_keeps_only_needed_steps() {
        let plan = Plan::from_seed(7);
        let is_needed = |action: &Action| matches!(action, Action::Decide { .. } | Action::Cut { .. });
        let needed = plan.steps.iter().filter(|step| is_needed(&step.action)).count();
        assert!(needed > 1 && needed < plan.steps.len(), "a seed that has some of both: {needed}");
        let fails = |plan: &Plan| -> Result<bool, ()> {
            Ok(plan.steps.iter().filter(|step| is_needed(&step.action)).count() == needed)
        };
        let least = minimise(&plan, fails).unwrap();
        assert_eq!(least.steps.len(), needed);
        assert_eq!((least.agents, least.desks), (1, 1));
    }
}
