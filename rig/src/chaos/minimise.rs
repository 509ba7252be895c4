//! Shortens a plan of chaos that breaks a rule, so that it still breaks the rule.

use super::plan::Plan;
use crate::fewest::fewest;

/// Drops as many steps as possible, as long as `fails` returns true for the remaining plan. If a failure does
/// not recur every time, the result is longer than necessary, but still a plan that failed.
pub fn minimise<E>(plan: &Plan, mut fails: impl FnMut(&Plan) -> Result<bool, E>) -> Result<Plan, E> {
    let mut best = plan.clone();
    best.steps = fewest(&plan.steps, |steps| fails(&Plan { steps: steps.to_vec(), ..plan.clone() }))?;
    drop_unneeded(&mut best, |plan| &mut plan.desks, &mut fails)?;
    drop_unneeded(&mut best, |plan| &mut plan.agents, &mut fails)?;
    Ok(best)
}

/// Lowers a number of the plan, of agents or of desks, as long as the plan still fails.
fn drop_unneeded<E>(
    best: &mut Plan,
    count: fn(&mut Plan) -> &mut usize,
    fails: &mut impl FnMut(&Plan) -> Result<bool, E>,
) -> Result<(), E> {
    loop {
        let mut smaller = best.clone();
        let number = count(&mut smaller);
        if *number <= 1 {
            return Ok(());
        }
        *number -= 1;
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
