//! Makes the plan of a seed for agents with hooks. As for other plans, the order of random draws determines
//! the plan and must not change.

use crate::chaos::plan::{Action, Plan, Step};
use crate::chaos::tool_call::{CallScript, Conduct, FilePath, OtherHook, Variables};
use crate::rng::Rng;

impl Plan {
    /// Makes the plan of a seed for agents that run hooks.
    pub fn with_hooks(seed: u64) -> Self {
        // A sequence of its own, so that this plan is independent of the seed's plan without hooks.
        let mut rng = Rng::new(seed ^ 0x0b00_4b00);
        let (agents, desks, files) = (1 + rng.index(3), 1 + rng.index(2), 1 + rng.index(3));
        let mut generator = Generator { rng, agents, desks, files, now: 0, steps: Vec::new() };
        let scenes = generator.rng.between(4, 9);
        for _ in 0..scenes {
            generator.add_scene();
        }
        let mut steps = generator.steps;
        steps.sort_by_key(|step| step.at);
        Self { seed, agents, desks, files, unruly: false, steps }
    }
}

struct Generator {
    rng: Rng,
    agents: usize,
    desks: usize,
    files: usize,
    now: u64,
    steps: Vec<Step>,
}

impl Generator {
    fn agent(&mut self) -> usize {
        self.rng.index(self.agents)
    }

    fn desk(&mut self) -> usize {
        self.rng.index(self.desks)
    }

    fn push(&mut self, at: u64, action: Action) {
        self.steps.push(Step { at, loop_turns: 0, action });
    }

    fn add_scene(&mut self) {
        self.now += self.rng.between(0, 600);
        let now = self.now;
        match self.rng.below(100) {
            0..50 => {
                self.add_call();
            }
            50..60 => self.add_dead_hook(),
            60..70 => self.add_dead_host(),
            70..74 => {
                self.add_call();
                let ms = self.rng.between(1, 3_000);
                let at = now + self.rng.below(500);
                self.push(at, Action::Freeze { ms });
            }
            74..82 => self.add_absent_desk(),
            82..87 => {
                let agent = self.add_call();
                let at = now + self.rng.below(700);
                let says_so = self.rng.percent(50);
                self.push(at, Action::EndAgent { agent, says_so });
            }
            87..92 => {
                self.add_call();
                let (file, at) = (self.rng.index(self.files), now + self.rng.below(500));
                self.push(at, Action::Rewrite { file });
            }
            92..95 => {
                let (desk, ms) = (self.desk(), self.rng.between(1, 3_000));
                self.push(now, Action::FreezeDesk { desk, ms });
            }
            _ => self.add_decision(now),
        }
    }

    /// Adds a tool call, and in most cases a decision. A review opens after a few hundred milliseconds.
    /// Returns the agent.
    fn add_call(&mut self) -> usize {
        let (agent, file, call) = (self.agent(), self.rng.index(self.files), self.script());
        self.push(self.now, Action::Call { agent, file, call });
        let mut at = self.now + self.rng.between(150, 600);
        if self.rng.percent(30) {
            let edit = Action::Edit { desk: self.desk(), pick: self.rng.index(3) };
            self.push(at, edit);
            at += self.rng.between(20, 200);
        }
        if self.rng.percent(30) {
            let drop = Action::Drop { desk: self.desk(), pick: self.rng.index(3) };
            self.push(at, drop);
            at += self.rng.between(20, 200);
        }
        if self.rng.percent(85) {
            self.add_decision(at);
        }
        agent
    }

    fn add_decision(&mut self, at: u64) {
        let (desk, pick) = (self.desk(), self.rng.index(3));
        let accept = self.rng.percent(70);
        self.push(at, Action::Decide { desk, pick, accept });
    }

    fn script(&mut self) -> CallScript {
        let tool = self.rng.index(4);
        let file_path = match self.rng.below(10) {
            0..5 => FilePath::Project,
            5..7 => FilePath::Outside,
            7..9 => FilePath::DirectoryLink,
            _ => FilePath::FileLink,
        };
        let variables = match self.rng.below(14) {
            0..5 => Variables::Same,
            5..7 => Variables::NoRuntimeDir,
            7..9 => Variables::OtherRuntimeDir,
            9 => Variables::MissingRuntimeDir,
            10 => Variables::OtherTmp,
            11 => Variables::OtherHome,
            12 => Variables::NoHome,
            _ => Variables::Cleaned,
        };
        let other = self
            .rng
            .percent(40)
            .then(|| OtherHook { rewrites: self.rng.percent(70), has_last_word: self.rng.percent(30) });
        let conduct = match self.rng.below(10) {
            0..7 => Conduct::Faithful,
            7 => Conduct::WritesSomethingElse,
            8 => Conduct::WritesRejected,
            _ => Conduct::WritesNothing,
        };
        CallScript { tool, file_path, variables, program_missing: false, other, conduct }
    }

    /// Adds a call with a missing hook, or with a hook that is killed or frozen at about the time of a
    /// decision.
    fn add_dead_hook(&mut self) {
        let first = self.steps.len();
        let agent = self.add_call();
        let at = self.now + self.rng.below(700);
        match self.rng.below(5) {
            0 => {
                for step in self.steps.iter_mut().skip(first) {
                    if let Action::Call { call, .. } = &mut step.action {
                        call.program_missing = true;
                    }
                }
            }
            1 | 2 => self.push(at, Action::KillHook { agent }),
            3 => {
                let ms = self.rng.between(1, 2_000);
                self.push(at, Action::FreezeHook { agent, ms });
            }
            // Longer than the patience of every agent.
            _ => self.push(at, Action::FreezeHook { agent, ms: 30_000 }),
        }
    }

    /// Adds a call, and a kill of the host at about the time of the decision. The desks start the host again.
    fn add_dead_host(&mut self) {
        self.add_call();
        let at = self.now + self.rng.below(800);
        // If `back` is 300 ms or more, the desks are frozen for that time.
        let back = if self.rng.percent(60) { 0 } else { self.rng.between(300, 2_500) };
        self.push(at, Action::Kill { back });
    }

    /// Adds a call, and a desk that leaves meanwhile and joins again.
    fn add_absent_desk(&mut self) {
        self.add_call();
        let desk = self.desk();
        let at = self.now + self.rng.below(700);
        let says_so = self.rng.percent(50);
        self.push(at, Action::LeaveDesk { desk, says_so });
        let back = at + self.rng.between(0, 2_000);
        self.push(back, Action::JoinDesk { desk });
        self.now = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_with_hooks_depends_on_seed_alone_and_survives_json() {
        for seed in 0..200 {
            let plan = Plan::with_hooks(seed);
            assert_eq!(plan, Plan::with_hooks(seed));
            assert!(plan.steps.is_sorted_by_key(|step| step.at));
            let written = serde_json::to_string(&plan).unwrap();
            assert_eq!(serde_json::from_str::<Plan>(&written).unwrap(), plan);
        }
        assert_ne!(Plan::with_hooks(0).steps, Plan::with_hooks(1).steps);
    }
}
