//! Serializes JSON with the properties of a turn in the order in which a model should write them: thoughts
//! before actions. Endpoints follow the order of the schema.

use crate::turn::schema::ORDER;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

/// A value whose objects are serialized with the properties of a turn in that order.
pub struct InSchemaOrder<'a>(pub &'a Value);

impl Serialize for InSchemaOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let position =
                    |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by_key(|(name, _)| position(name));
                let mut out = serializer.serialize_map(Some(entries.len()))?;
                for (name, value) in entries {
                    out.serialize_entry(name, &InSchemaOrder(value))?;
                }
                out.end()
            }
            Value::Array(items) => {
                let mut out = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    out.serialize_element(&InSchemaOrder(item))?;
                }
                out.end()
            }
            plain => plain.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::action::NAMES;
    use crate::turn::schema::{TurnForm, turn_schema};

    // A model that follows the schema writes its thoughts before its actions (S4.5).
    #[test]
    fn thoughts_come_before_actions() {
        let schema = turn_schema(&TurnForm::full(&NAMES, &[]));
        let written = serde_json::to_string(&InSchemaOrder(&schema)).expect("json");
        let properties = written.find("\"properties\"").expect("properties");
        let at = |name: &str| written[properties..].find(&format!("\"{name}\":{{")).expect("a property");
        assert!(at("thoughts") < at("actions") && at("actions") < at("status"));
        let read: Value = serde_json::from_str(&written).expect("json");
        assert_eq!(read, schema);
    }
}
