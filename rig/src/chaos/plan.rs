//! What happens in a round: a list of steps, made of a seed and of nothing else. Steps name parties by
//! numbers and say nothing of each other, so that any of them can be left out.

use serde::{Deserialize, Serialize};

use super::dice::Dice;

/// A round. Agents and desks are there from the beginning, and so is the companion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Made of which seed.
    pub seed: u64,
    /// How many agents there are.
    pub agents: usize,
    /// How many desks.
    pub desks: usize,
    /// How many files, which all agents propose for.
    pub files: usize,
    /// What happens, in this order.
    pub steps: Vec<Step>,
}

/// Something happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When: milliseconds since the round began.
    pub at: u64,
    /// How far everybody comes with what the step before began, where both come at one time: turns of the
    /// parties' event loops. A stage on a real clock does not look at it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub turns: u8,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

fn is_none(turns: &u8) -> bool {
    *turns == 0
}

/// What can happen. Fields name parties by their numbers, from 0, and times are milliseconds.
#[allow(missing_docs, reason = "the fields are told here once")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum What {
    /// An agent that waits for nothing calls `openDiff`.
    Propose { agent: usize, file: usize },
    /// A person types a line, in the review that is the `pick`th of those the desk shows, counted around.
    Edit { desk: usize, pick: usize },
    /// A person decides on that review, as the desk shows it.
    Decide { desk: usize, pick: usize, accept: bool },
    /// An agent that waits is answered in its own prompt, and calls `closeDiff`.
    Answer { agent: usize },
    /// An agent ends: it says so (DELETE), or it is killed.
    EndAgent { agent: usize, says_so: bool },
    /// An agent that ended, or hears nothing any more, connects anew.
    StartAgent { agent: usize },
    /// A desk leaves: it says so, or it is killed.
    LeaveDesk { desk: usize, says_so: bool },
    /// A desk that left joins again.
    JoinDesk { desk: usize },
    /// The person looks at a file: agents are told.
    Look { desk: usize, file: usize },
    /// Somebody else writes a file of the project.
    Rewrite { file: usize },
    /// The companion is killed, and a desk starts it again after so long.
    Kill { back: u64 },
    /// The companion is stopped properly, and another one is started after so long.
    Stop { back: u64 },
    /// The companion ends for a successor, which comes after so long.
    HandOver { back: u64 },
    /// The editor is gone, and another one takes the companion over after so long.
    Hide { back: u64 },
    /// The companion is frozen for so long.
    Freeze { ms: u64 },
    /// An agent is frozen for so long.
    FreezeAgent { agent: usize, ms: u64 },
    /// A desk is frozen for so long.
    FreezeDesk { desk: usize, ms: u64 },
    /// All connections of an agent are reset; of all agents, if none is named.
    Cut { agent: Option<usize> },
    /// The next request of this kind is cut after so many bytes of it, or of what answers it.
    CutAfter { agent: usize, stream: bool, up: bool, bytes: usize },
    /// Nothing passes between an agent and the companion for so long; then all of it does.
    Hold { agent: usize, ms: u64 },
    /// The same, and then the connections are reset.
    Stall { agent: usize, ms: u64 },
    /// A cleaner takes the files of the temporary directory.
    Clean,
    /// Somebody else takes every port of the companion that nobody holds, for so long.
    Squat { ms: u64 },
    /// Others fill the disk on which our state lies, and whatever room there is on it for so long. Void on a
    /// stage without a [small disk](super::small).
    FillDisk { ms: u64 },
}

impl Plan {
    /// The plan of a seed.
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let (agents, desks, files) = (1 + dice.index(4), 1 + dice.index(3), 1 + dice.index(3));
        let mut writing = Writing { dice, agents, desks, files, now: 0, steps: Vec::new() };
        let strokes = writing.dice.between(8, 32);
        for _ in 0..strokes {
            writing.stroke();
        }
        let mut steps = writing.steps;
        // Strokes of several steps overlap with what follows them.
        steps.sort_by_key(|step| step.at);
        Self { seed, agents, desks, files, steps }
    }

    /// The same while others fill the disk, and a companion that is killed when somebody has just typed.
    pub fn on_full_disk(seed: u64) -> Self {
        let mut plan = Self::of(seed);
        // Dice of its own: what a seed means otherwise stays as it is.
        let mut dice = Dice::new(seed ^ 0xf011);
        let last = plan.steps.last().map_or(0, |step| step.at).min(20_000);
        let mut at = dice.below(last + 1);
        let mut push = |at, what| plan.steps.push(Step { at, turns: 0, what });
        push(at, What::FillDisk { ms: dice.between(500, 30_000) });
        at += dice.below(2_000);
        let (agent, file) = (dice.index(plan.agents), dice.index(plan.files));
        push(at, What::Propose { agent, file });
        for desk in 0..plan.desks {
            at += dice.between(1, 100);
            push(at, What::Edit { desk, pick: dice.index(4) });
        }
        at += dice.between(1, 100);
        push(at, What::Kill { back: dice.between(0, 2_400) });
        plan.steps.sort_by_key(|step| step.at);
        plan
    }
}

struct Writing {
    dice: Dice,
    agents: usize,
    desks: usize,
    files: usize,
    now: u64,
    steps: Vec<Step>,
}

impl Writing {
    fn agent(&mut self) -> usize {
        self.dice.index(self.agents)
    }

    fn desk(&mut self) -> usize {
        self.dice.index(self.desks)
    }

    fn file(&mut self) -> usize {
        self.dice.index(self.files)
    }

    /// Most steps come close together, for that is where things cross; now and then every deadline there is
    /// passes.
    fn pause(&mut self) -> u64 {
        match self.dice.below(100) {
            0..25 => 0,
            25..60 => self.dice.between(1, 60),
            60..82 => self.dice.between(60, 400),
            82..94 => self.dice.between(400, 2_600),
            94..99 => self.dice.between(2_600, 12_000),
            _ => self.dice.between(12_000, 65_000),
        }
    }

    fn push(&mut self, at: u64, what: What) {
        let turns = self.dice.below(16) as u8;
        self.steps.push(Step { at, turns, what });
    }

    fn stroke(&mut self) {
        self.now += self.pause();
        let now = self.now;
        let what = match self.dice.below(100) {
            0..21 => What::Propose { agent: self.agent(), file: self.file() },
            21..22 => return self.squatted(),
            22..36 => self.decide(),
            36..46 => What::Edit { desk: self.desk(), pick: self.dice.index(4) },
            46..52 => What::Answer { agent: self.agent() },
            52..60 => return self.crossing(),
            60..68 => return self.decided_and_lost(),
            68..71 => {
                let says_so = self.dice.percent(30);
                What::EndAgent { agent: self.agent(), says_so }
            }
            71..75 => What::StartAgent { agent: self.agent() },
            75..77 => What::LeaveDesk { desk: self.desk(), says_so: self.dice.percent(50) },
            77..80 => What::JoinDesk { desk: self.desk() },
            80..82 => What::Look { desk: self.desk(), file: self.file() },
            82..83 => What::Rewrite { file: self.file() },
            83..86 => return self.ended(),
            86..87 => What::Hide { back: self.dice.between(0, 25_000) },
            87..88 => What::Freeze { ms: self.away() },
            88..89 => What::FreezeAgent { agent: self.agent(), ms: self.away() },
            89..90 => What::FreezeDesk { desk: self.desk(), ms: self.away() },
            90..93 => self.cut(),
            93..97 => self.cut_after(),
            97..98 => What::Hold { agent: self.agent(), ms: self.dice.between(1, 3_000) },
            98..99 => What::Stall { agent: self.agent(), ms: self.dice.between(1, 12_000) },
            _ => What::Clean,
        };
        self.push(now, what);
    }

    fn decide(&mut self) -> What {
        What::Decide { desk: self.desk(), pick: self.dice.index(4), accept: self.dice.percent(60) }
    }

    fn cut(&mut self) -> What {
        let all = self.dice.percent(30);
        What::Cut { agent: (!all).then(|| self.agent()) }
    }

    fn cut_after(&mut self) -> What {
        let (stream, up) = (self.dice.percent(60), self.dice.percent(40));
        // Heads are some hundred bytes long, and outcomes not much more.
        What::CutAfter { agent: self.agent(), stream, up, bytes: self.dice.index(900) }
    }

    /// A companion ends, and after a while people connect the agents again that cannot know.
    fn ended(&mut self) {
        let end = self.end();
        self.push(self.now, end);
        self.connected_again(end);
    }

    /// Somebody waits for the port while the companion ends, in half of the cases with all of its desks.
    fn squatted(&mut self) {
        let ms = self.dice.between(1, 8_000);
        self.push(self.now, What::Squat { ms });
        self.now += self.dice.below(50);
        let alone = self.dice.percent(50);
        for desk in (0..self.desks).filter(|_| alone) {
            self.push(self.now, What::LeaveDesk { desk, says_so: false });
        }
        self.ended();
        for desk in (0..self.desks).filter(|_| alone) {
            let at = self.now + self.dice.between(0, 9_000);
            self.push(at, What::JoinDesk { desk });
        }
    }

    fn connected_again(&mut self, end: What) {
        if let What::Kill { back } | What::Stop { back } | What::HandOver { back } = end {
            for agent in 0..self.agents {
                let at = self.now + back + self.dice.between(0, 4_000);
                self.push(at, What::StartAgent { agent });
            }
        }
    }

    fn end(&mut self) -> What {
        // Agents try their stream again 1 s and 2.5 s after it broke.
        let back = match self.dice.percent(80) {
            true => self.dice.between(0, 2_400),
            false => self.dice.between(2_400, 20_000),
        };
        match self.dice.below(10) {
            0..6 => What::Kill { back },
            6..8 => What::HandOver { back },
            _ => What::Stop { back },
        }
    }

    fn away(&mut self) -> u64 {
        match self.dice.percent(80) {
            true => self.dice.between(1, 3_000),
            false => self.dice.between(3_000, 70_000),
        }
    }

    /// An agent's stream is cut about when a decision is told, and the agent proposes the same file again
    /// about when its stream returns: what is sent again and what is asked anew cross.
    fn crossing(&mut self) {
        let (agent, file) = (self.agent(), self.file());
        let mut at = self.now;
        self.push(at, What::Propose { agent, file });
        at += self.dice.below(40);
        for desk in 0..self.desks {
            let accept = self.dice.percent(80);
            self.push(at, What::Decide { desk, pick: desk, accept });
        }
        at += self.dice.below(3);
        self.push(at, What::Cut { agent: Some(agent) });
        // The client comes back after exactly so long.
        at += 1_000;
        self.push(at, What::Propose { agent, file });
        at += self.dice.below(200);
        let again = self.decide();
        self.push(at, again);
        self.now = at;
    }

    /// A decision is taken, and in the same moment somebody is gone whom it has to pass.
    fn decided_and_lost(&mut self) {
        let (agent, file) = (self.agent(), self.file());
        let mut at = self.now;
        self.push(at, What::Propose { agent, file });
        at += self.dice.below(40);
        if self.dice.percent(50) {
            let edit = What::Edit { desk: self.desk(), pick: self.dice.index(4) };
            self.push(at, edit);
            at += self.dice.below(20);
        }
        let decide = self.decide();
        self.push(at, decide);
        at += self.dice.below(2);
        let lost = match self.dice.below(4) {
            0 => What::Cut { agent: Some(agent) },
            1 => self.end(),
            2 => What::Stall { agent, ms: self.dice.between(1, 4_000) },
            _ => self.cut_after(),
        };
        self.push(at, lost);
        self.now = at;
        self.connected_again(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_a_function_of_its_seed_and_survives_being_written_down() {
        for seed in 0..200 {
            let plan = Plan::of(seed);
            assert_eq!(plan, Plan::of(seed));
            assert!(plan.steps.is_sorted_by_key(|step| step.at));
            let written = serde_json::to_string(&plan).unwrap();
            assert_eq!(serde_json::from_str::<Plan>(&written).unwrap(), plan);
            let mut full = Plan::on_full_disk(seed);
            assert!(full.steps.is_sorted_by_key(|step| step.at));
            assert_eq!(full, Plan::on_full_disk(seed));
            full.steps.retain(|step| plan.steps.contains(step));
            assert_eq!(full, plan, "nothing else of it has changed");
        }
        assert_ne!(Plan::of(0).steps, Plan::of(1).steps);
    }
}
