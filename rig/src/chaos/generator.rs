//! Makes the plan of a seed. The order of random draws determines the plan, so it must not change: a reported
//! seed has to play the same round in every later version.

use super::plan::{Action, Plan, Step};
use crate::rng::Rng;

impl Plan {
    /// Makes the plan of a seed.
    pub fn from_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (agents, desks, files) = (1 + rng.index(4), 1 + rng.index(3), 1 + rng.index(3));
        let mut generator = Generator { rng, agents, desks, files, now: 0, steps: Vec::new() };
        let scenes = generator.rng.between(8, 32);
        for _ in 0..scenes {
            generator.add_scene();
        }
        let mut steps = generator.steps;
        // A scene of several steps overlaps with the following scenes.
        steps.sort_by_key(|step| step.at);
        Self { seed, agents, desks, files, unruly: true, steps }
    }

    /// Makes the plan of a seed on a full disk, with a companion that is killed right after a person has
    /// typed.
    pub fn on_full_disk(seed: u64) -> Self {
        let mut plan = Self::from_seed(seed);
        // A generator of its own, so that the other steps are those of `from_seed`.
        let mut rng = Rng::new(seed ^ 0xf011);
        let last = plan.steps.last().map_or(0, |step| step.at).min(20_000);
        let mut at = rng.below(last + 1);
        let mut push = |at, action| plan.steps.push(Step { at, loop_turns: 0, action });
        push(at, Action::FillDisk { ms: rng.between(500, 30_000) });
        at += rng.below(2_000);
        let (agent, file) = (rng.index(plan.agents), rng.index(plan.files));
        push(at, Action::Propose { agent, file });
        for desk in 0..plan.desks {
            at += rng.between(1, 100);
            push(at, Action::Edit { desk, pick: rng.index(4) });
        }
        at += rng.between(1, 100);
        push(at, Action::Kill { back: rng.between(0, 2_400) });
        plan.steps.sort_by_key(|step| step.at);
        plan
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

    fn file(&mut self) -> usize {
        self.rng.index(self.files)
    }

    /// Draws the pause before the next scene, in milliseconds. Most pauses are short, because races need
    /// steps close together; a few are longer than every deadline.
    fn pause(&mut self) -> u64 {
        match self.rng.below(100) {
            0..25 => 0,
            25..60 => self.rng.between(1, 60),
            60..82 => self.rng.between(60, 400),
            82..94 => self.rng.between(400, 2_600),
            94..99 => self.rng.between(2_600, 12_000),
            _ => self.rng.between(12_000, 65_000),
        }
    }

    fn push(&mut self, at: u64, action: Action) {
        let loop_turns = self.rng.below(16) as u8;
        self.steps.push(Step { at, loop_turns, action });
    }

    fn add_scene(&mut self) {
        self.now += self.pause();
        let now = self.now;
        let action = match self.rng.below(100) {
            0..21 => Action::Propose { agent: self.agent(), file: self.file() },
            21..22 => return self.add_squat(),
            22..36 => self.decide(),
            36..46 => Action::Edit { desk: self.desk(), pick: self.rng.index(4) },
            46..52 => Action::Answer { agent: self.agent() },
            52..60 => return self.add_crossing(),
            60..68 => return self.add_lost_decision(),
            68..71 => {
                let says_so = self.rng.percent(30);
                Action::EndAgent { agent: self.agent(), says_so }
            }
            71..75 => Action::StartAgent { agent: self.agent() },
            75..77 => Action::LeaveDesk { desk: self.desk(), says_so: self.rng.percent(50) },
            77..80 => Action::JoinDesk { desk: self.desk() },
            80..82 => Action::Look { desk: self.desk(), file: self.file() },
            82..83 => Action::Rewrite { file: self.file() },
            83..86 => return self.add_companion_end(),
            86..87 => Action::Hide { back: self.rng.between(0, 25_000) },
            87..88 => Action::Freeze { ms: self.absence() },
            88..89 => Action::FreezeAgent { agent: self.agent(), ms: self.absence() },
            89..90 => Action::FreezeDesk { desk: self.desk(), ms: self.absence() },
            90..93 => self.cut(),
            93..97 => self.cut_after(),
            97..98 => Action::Hold { agent: self.agent(), ms: self.rng.between(1, 3_000) },
            98..99 => Action::Stall { agent: self.agent(), ms: self.rng.between(1, 12_000) },
            _ => Action::Clean,
        };
        self.push(now, action);
    }

    fn decide(&mut self) -> Action {
        Action::Decide { desk: self.desk(), pick: self.rng.index(4), accept: self.rng.percent(60) }
    }

    fn cut(&mut self) -> Action {
        let all = self.rng.percent(30);
        Action::Cut { agent: (!all).then(|| self.agent()) }
    }

    fn cut_after(&mut self) -> Action {
        let (stream, up) = (self.rng.percent(60), self.rng.percent(40));
        // Heads of requests are a few hundred bytes long, and outcomes are little longer.
        Action::CutAfter { agent: self.agent(), stream, up, bytes: self.rng.index(900) }
    }

    /// Adds the end of a companion, and the reconnects of its agents by people.
    fn add_companion_end(&mut self) {
        let end = self.companion_end();
        self.push(self.now, end);
        self.add_reconnects(end);
    }

    /// Adds a squatter that waits for the port while the companion ends; in half of the cases all desks end
    /// too.
    fn add_squat(&mut self) {
        let ms = self.rng.between(1, 8_000);
        self.push(self.now, Action::Squat { ms });
        self.now += self.rng.below(50);
        let desks_end = self.rng.percent(50);
        for desk in (0..self.desks).filter(|_| desks_end) {
            self.push(self.now, Action::LeaveDesk { desk, says_so: false });
        }
        self.add_companion_end();
        for desk in (0..self.desks).filter(|_| desks_end) {
            let at = self.now + self.rng.between(0, 9_000);
            self.push(at, Action::JoinDesk { desk });
        }
    }

    fn add_reconnects(&mut self, end: Action) {
        if let Action::Kill { back } | Action::Stop { back } | Action::HandOver { back } = end {
            for agent in 0..self.agents {
                let at = self.now + back + self.rng.between(0, 4_000);
                self.push(at, Action::StartAgent { agent });
            }
        }
    }

    fn companion_end(&mut self) -> Action {
        // Agents try to reopen a broken stream after 1 s and after 2.5 s.
        let back = match self.rng.percent(80) {
            true => self.rng.between(0, 2_400),
            false => self.rng.between(2_400, 20_000),
        };
        match self.rng.below(10) {
            0..6 => Action::Kill { back },
            6..8 => Action::HandOver { back },
            _ => Action::Stop { back },
        }
    }

    fn absence(&mut self) -> u64 {
        match self.rng.percent(80) {
            true => self.rng.between(1, 3_000),
            false => self.rng.between(3_000, 70_000),
        }
    }

    /// Cuts an agent's stream at about the time when its outcome is sent, and lets the agent propose the same
    /// file again at about the time when the stream returns: the resent outcome and the new proposal cross.
    fn add_crossing(&mut self) {
        let (agent, file) = (self.agent(), self.file());
        let mut at = self.now;
        self.push(at, Action::Propose { agent, file });
        at += self.rng.below(40);
        for desk in 0..self.desks {
            let accept = self.rng.percent(80);
            self.push(at, Action::Decide { desk, pick: desk, accept });
        }
        at += self.rng.below(3);
        self.push(at, Action::Cut { agent: Some(agent) });
        // Clients reopen the stream after exactly 1 s.
        at += 1_000;
        self.push(at, Action::Propose { agent, file });
        at += self.rng.below(200);
        let decision = self.decide();
        self.push(at, decision);
        self.now = at;
    }

    /// Adds a decision, and a failure of the agent's connection or of the companion in the same moment.
    fn add_lost_decision(&mut self) {
        let (agent, file) = (self.agent(), self.file());
        let mut at = self.now;
        self.push(at, Action::Propose { agent, file });
        at += self.rng.below(40);
        if self.rng.percent(50) {
            let edit = Action::Edit { desk: self.desk(), pick: self.rng.index(4) };
            self.push(at, edit);
            at += self.rng.below(20);
        }
        let decide = self.decide();
        self.push(at, decide);
        at += self.rng.below(2);
        let failure = match self.rng.below(4) {
            0 => Action::Cut { agent: Some(agent) },
            1 => self.companion_end(),
            2 => Action::Stall { agent, ms: self.rng.between(1, 4_000) },
            _ => self.cut_after(),
        };
        self.push(at, failure);
        self.now = at;
        self.add_reconnects(failure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_depends_on_seed_alone_and_survives_json() {
        for seed in 0..200 {
            let plan = Plan::from_seed(seed);
            assert_eq!(plan, Plan::from_seed(seed));
            assert!(plan.steps.is_sorted_by_key(|step| step.at));
            let written = serde_json::to_string(&plan).unwrap();
            assert_eq!(serde_json::from_str::<Plan>(&written).unwrap(), plan);
            let mut full = Plan::on_full_disk(seed);
            assert!(full.steps.is_sorted_by_key(|step| step.at));
            assert_eq!(full, Plan::on_full_disk(seed));
            full.steps.retain(|step| plan.steps.contains(step));
            assert_eq!(full, plan, "a full disk adds steps and changes none");
        }
        assert_ne!(Plan::from_seed(0).steps, Plan::from_seed(1).steps);
    }
}
