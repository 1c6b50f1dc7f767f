//! What a model is asked in its other roles: for the items of a plan, and whether one of them is reached. These
//! are not answered yet.
use super::{PlanError, Planner, Usage};
use crate::plan::Item;
use crate::protocol::Locale;
use crate::turn::tools::Tool;
use serde_json::{Map, Value};

pub struct PlanItemsRequest<'a> {
    pub locale: Locale,
    pub goal: Option<&'a str>,
    pub mission: &'a str,
    pub answers: &'a Map<String, Value>,
    pub items: &'a [Item],
    pub reason: Option<&'a str>,
    pub tools: &'a [Tool],
}
pub struct PlannedItems {
    pub items: Vec<Item>,
    pub usage: Vec<Usage>,
}
pub struct JudgeRequest<'a> {
    pub locale: Locale,
    pub item: &'a Item,
    pub mission: &'a str,
    pub said: &'a str,
    pub work: &'a [String],
    pub url: Option<&'a str>,
    pub page: &'a str,
    pub picture: Option<&'a [u8]>,
    pub files: &'a [String],
    pub variables: &'a [(String, String)],
}
pub struct Judgement {
    pub met: bool,
    pub why: String,
    pub usage: Vec<Usage>,
}
impl Planner {
    pub async fn plan_items(&self, _: &PlanItemsRequest<'_>) -> Result<PlannedItems, PlanError> {
        Err(PlanError::Unavailable { message: String::new(), usage: vec![] })
    }
    pub async fn judge(&self, _: &JudgeRequest<'_>) -> Result<Judgement, PlanError> {
        Err(PlanError::Unavailable { message: String::new(), usage: vec![] })
    }
}
