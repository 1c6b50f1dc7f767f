//! Time that the service spends in the phases of its turns, from its metrics.

/// Seconds of each phase so far.
#[derive(Clone, Copy)]
pub struct PhaseTimes {
    gate: f64,
    /// Includes settling.
    execute: f64,
    settle: f64,
    observe: f64,
}

impl PhaseTimes {
    pub async fn read(base: &str) -> Self {
        let text = reqwest::get(format!("{base}/metrics")).await.unwrap().text().await.unwrap();
        let seconds = |phase: &str| {
            let sample = format!("askfirst_step_seconds_sum{{phase=\"{phase}\"}} ");
            text.lines().find_map(|line| line.strip_prefix(&sample)).map_or(0.0, |sum| sum.parse().unwrap())
        };
        Self {
            gate: seconds("gate"),
            execute: seconds("execute"),
            settle: seconds("settle"),
            observe: seconds("observe"),
        }
    }

    /// Describes the gate's mean share of an action since `before`.
    pub fn describe_gate(self, before: Self, actions: usize) -> String {
        format!("{:.1} ms on average", (self.gate - before.gate) * 1000.0 / actions as f64)
    }

    /// Describes the mean shares of a turn since `before`. `mean` is that of the whole turns, in milliseconds.
    pub fn describe_shares(self, before: Self, turns: usize, mean: f64) -> String {
        let share = |phase: fn(Self) -> f64| (phase(self) - phase(before)) * 1000.0 / turns as f64;
        let (settle, look, gate) = (share(|it| it.settle), share(|it| it.observe), share(|it| it.gate));
        let press = share(|it| it.execute) - settle;
        let rest = mean - settle - look - gate - press;
        format!(
            "of {mean:.0} ms on average, {settle:.0} are settling, {press:.0} the press and what is stored with it, \
             {look:.0} the look, {gate:.0} the gate, {rest:.0} the steps between, storage and the request"
        )
    }
}
