//! Operates the widgets of the guide's examples as `tests/truth/apg.yaml` says, and compares each look on the way with
//! Chromium's accessibility tree.

use super::site::{Finding, TruthSite};
use super::{ax_tree, sources_folder};
use crate::browser_stage::Stage;
use crate::page_cases::cases::Step;
use crate::page_cases::steps::{act, compare};
use serde::Deserialize;
use serde_json::json;
use std::path::Path;

/// An interaction with an example.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    /// Pattern and example, as `tabs/tabs-manual`.
    page: String,
    name: String,
    steps: Vec<Step>,
}

impl Interaction {
    pub fn title(&self) -> String {
        format!("{}: {}", self.page, self.name)
    }

    pub fn path(&self) -> String {
        let (pattern, example) = self.page.split_once('/').unwrap_or((&self.page, ""));
        format!("apg/content/patterns/{pattern}/examples/{example}.html")
    }

    /// Reports whether the guide, as it was fetched, has the example.
    pub fn is_there(&self) -> bool {
        sources_folder().join(self.path()).exists()
    }
}

pub fn read_interactions() -> Vec<Interaction> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth/apg.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    serde_saphyr::from_str_with_options(&text, serde_saphyr::options! { strict_booleans: true })
        .unwrap_or_else(|fault| panic!("{fault}"))
}

/// Plays an interaction. The findings are of all looks up to the first step that failed.
pub async fn play(
    stage: &Stage,
    site: &TruthSite,
    interaction: &Interaction,
    findings: &mut Vec<Finding>,
) -> Result<(), String> {
    let url = site.address(&interaction.path());
    stage.act("navigate", json!({"url": url})).await.map_err(|fault| format!("{fault:?}"))?;
    let mut seen = stage.observe().await;
    for (number, step) in interaction.steps.iter().enumerate() {
        let at = |fault: String| format!("step {}: {fault}", number + 1);
        if step.action.is_some() {
            act(stage, step, &seen).await.map_err(at)?;
            if step.blind {
                seen = stage.observe().await;
                continue;
            }
            seen = stage.observe().await;
        }
        compare(step, &seen).map_err(at)?;
        findings.extend(ax_tree::compare(stage, &site.address(""), &seen).await);
    }
    Ok(())
}
