//! Kinds of answers that small models really gave, as public issue threads of browser agents and local servers
//! show them, in the words of this service's schema.

#[cfg(test)]
mod tests {
    use crate::model::endpoint::reply::{Completion, ReplyFault};
    use crate::turn::Turn;
    use crate::turn::action::Action;
    use serde_json::{Value, json};

    fn answer(message: Value) -> Result<Turn, ReplyFault> {
        let body = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
        serde_json::from_value::<Completion>(body).expect("a completion").turn()
    }

    /// Returns the checked actions of an answer, as JSON.
    fn actions(text: &str) -> Value {
        let turn = answer(json!({ "content": text })).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let parse = |call| Action::parse(call).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        turn.actions.iter().map(|call| json!(parse(call))).collect()
    }

    fn click(eid: u32) -> Value {
        json!([Action::parse(
            &serde_json::from_value(json!({"action": "click", "params": {"eid": eid}})).unwrap()
        )
        .unwrap()])
    }

    // Each of these has one meaning: click the element 29.
    #[test]
    fn answers_with_one_meaning_are_read() {
        for text in [
            // Words before and after (browser-use 442, Skyvern 2296).
            "Sure, I will click it.\n```json\n{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}\n```\nDone!",
            "The button is [29], so: {\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}",
            "```json\n{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}",
            // Reasoning before the answer (browser-use web-ui 145, Ollama 10929), also without its opening tag.
            "<think>\nMaybe {\"action\": \"back\"}?\n</think>\n\n{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}",
            "Okay, the user wants [3].\n</think>\n{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}",
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{\"action\":\"click\",\"eid\":29}",
            // The number with its brackets, its name or its line.
            "{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":\"[29]\"}}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":\"eid 29\"}}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29.0}}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":[29]}}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":{\"element\":\"link \\\"Cart\\\" [29]\"}}]}",
            // Parameters beside the action, or under another name, or as text.
            "{\"actions\":[{\"action\":\"click\",\"eid\":29}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":null,\"eid\":\"29\",\"reasoning\":\"it is the cart\"}]}",
            "{\"actions\":[{\"action\":\"click\",\"parameters\":{\"eid\":29}}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":\"{\\\"eid\\\": 29}\"}]}",
            "{\"actions\":[{\"action\":\"Click\",\"params\":[{\"eid\":29}],\"action_id\":1,\"depends_on\":[]}]}",
            // An action, or a list of them, as the whole answer.
            "{\"action\":\"click\",\"params\":{\"eid\":29}}",
            "{\"thoughts\":\"It is the cart.\",\"status\":\"EXECUTING\",\"action\":\"click\",\"eid\":29}",
            "{\"action\":{\"action\":\"click\",\"params\":{\"eid\":29}}}",
            "{\"action\":[{\"click\":{\"eid\":29}}]}",
            "[{\"action\":\"click\",\"params\":{\"eid\":29}}]",
            "{\"actions\":{\"action\":\"click\",\"params\":{\"eid\":29}}}",
            "{\"actions\":\"[{\\\"action\\\":\\\"click\\\",\\\"eid\\\":29}]\"}",
            // The name as the key (browser-use 488), beside the unused ones.
            "```json\n{\n  \"action_sequence\": [\n    {\n      \"click\": {\n        \"eid\": 29\n      }\n    }\n  ]\n}\n```",
            "{\"actions\":[{\"click\":{\"eid\":29},\"type\":null,\"scroll\":null}]}",
            "{\"actions\":[{\"click\":29}]}",
            "{\"click\":{\"eid\":29}}",
            // Calls of tools in the text (browser-use 158).
            "<tool_call>\n{\"name\": \"click\", \"arguments\": {\"eid\": 29}}\n</tool_call>",
            "{\"name\":\"turn\",\"arguments\":{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}}",
            "{\"type\":\"function\",\"function\":{\"name\":\"click\",\"arguments\":\"{\\\"eid\\\":29}\"}}",
            "{\"tool\":\"click\",\"tool_input\":{\"eid\":29}}",
            // A comma, a comment, a line break too many (lm-format-enforcer 80, WikiMind 297).
            "{\"thoughts\":[\"one\ntwo\"],\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29,},},],} // click",
            "{\"stop\": False, \"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}",
            "{\"actions\":[{\"action\":\"click\",\"params\":{\"eid\":29}}]}}",
            // The same answer twice.
            "{\"action\":\"click\",\"eid\":29}\n{\"action\":\"click\",\"eid\":29}",
        ] {
            assert_eq!(actions(text), click(29), "{text}");
        }
    }

    #[test]
    fn other_actions_are_read_as_they_were_meant() {
        for (text, expected) in [
            (
                r#"{"action":"type","eid":"[3]","value":"lamp","submit":"true"}"#,
                json!({"action": "type", "params": {"eid": 3, "text": "lamp", "submit": true}}),
            ),
            (
                r#"{"action":"select","params":{"eid":3,"options":["Lviv"]}}"#,
                json!({"action": "select", "params": {"eid": 3, "option": "Lviv"}}),
            ),
            (
                r#"{"action":"fill","eid":3,"text":"Anna"}"#,
                json!({"action": "fill", "params": {"fields": [{"eid": 3, "text": "Anna"}]}}),
            ),
            (
                r#"{"action":"fill","params":{"fields":{"eid":"[3]","text":"Anna"}}}"#,
                json!({"action": "fill", "params": {"fields": [{"eid": 3, "text": "Anna"}]}}),
            ),
            (
                r#"{"navigate":"https://example.com/"}"#,
                json!({"action": "navigate", "params": {"url": "https://example.com/"}}),
            ),
            (
                r#"{"action":"scroll","direction":"DOWN","amount":"2"}"#,
                json!({"action": "scroll", "params": {"direction": "down", "amount": 2}}),
            ),
            (
                r#"{"action":"drag","from_eid":"[3]","to_eid":"eid 4"}"#,
                json!({"action": "drag", "params": {"from_eid": 3, "to_eid": 4}}),
            ),
            (
                r#"{"action":"tab","operation":"switch","tab":"2"}"#,
                json!({"action": "tab", "params": {"operation": "switch", "tab": 2}}),
            ),
            (r#"{"actions":["back"]}"#, json!({"action": "back"})),
            (r#"{"type":"press","key":"Enter"}"#, json!({"action": "press", "params": {"key": "Enter"}})),
            (
                r#"{"action":"page_tool","name":"search","arguments":{"q":"lamp"}}"#,
                json!({"action": "page_tool", "params": {"name": "search", "arguments": {"q": "lamp"}}}),
            ),
        ] {
            let expected = Action::parse(&serde_json::from_value(expected).unwrap()).unwrap();
            assert_eq!(actions(text), json!([expected]), "{text}");
        }
    }

    // Answers that could mean another action are refused, and the refusal names the field.
    #[test]
    fn ambiguous_answers_are_refused_with_the_field() {
        for (text, words) in [
            (
                r#"First {"action":"click","eid":3}, or else {"action":"click","eid":4}"#,
                "2 different JSON values",
            ),
            (r#"{"action":"click","eid":3,"params":{"eid":4}}"#, "`actions[0]` has `eid` twice"),
            (r#"{"action":"click","eid":3,"eid":4}"#, "`eid` stands twice"),
            (
                r#"{"actions":[{"click":{"eid":3},"hover":{"eid":4}}]}"#,
                "several actions, `click` and `hover`",
            ),
            (r#"{"action":"click","eid":3,"actions":[{"action":"back"}]}"#, "both `action` and `actions`"),
            (
                r#"{"actions":[{"action":"click","params":"the cart"}]}"#,
                "`actions[0].params` is not an object",
            ),
            (r#"{"actions":["click [3]"]}"#, "`actions[0]` is not an object but \"click [3]\""),
            (r#"{"actions":"click"}"#, "`actions` is not a list but \"click\""),
            (
                r#"{"actions":[{"action":"back","depends_on":["a1","a2"]}]}"#,
                "`actions[0].depends_on` names several ids",
            ),
            // The schema in place of an answer to it (graphiti 868).
            (
                r#"{"type":"object","properties":{"actions":{"type":"array"}},"required":["actions"]}"#,
                "repeats the schema",
            ),
            // A string without its begin (Ollama 10929).
            ("{\"{\"actions\": [{\"action\": \"back\"}]}\n", "expected `:`"),
        ] {
            let fault = answer(json!({ "content": text })).expect_err(text).to_string();
            assert!(fault.contains(words), "{text}: {fault}");
        }
        for (text, words) in [
            (
                r#"{"action":"click","eid":"29 or 30"}"#,
                "`click`: `eid` must be the number in brackets of one element on the page, such as 29, not \"29 or 30\"",
            ),
            (r#"{"action":"click","eid":[29,30]}"#, "`click`: `eid` must be"),
            (
                r#"{"action":"click","params":{"name":"Cart"}}"#,
                "`click`: `eid` (the number in brackets of an element on the page) is missing",
            ),
            (
                r#"{"action":"type","eid":3,"text":"a","clear":"maybe"}"#,
                "`type`: `clear` is not what it should be",
            ),
            (r#"{"action":"click_element","index":1}"#, "there is no action `click_element`"),
        ] {
            let turn = answer(json!({ "content": text })).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            let fault = Action::parse(&turn.actions[0]).expect_err(text).to_string();
            assert!(fault.contains(words), "{text}: {fault}");
        }
    }

    // Calls of tools, and an answer that the server took for reasoning, count where the text is empty.
    #[test]
    fn answers_beside_the_text_are_read() {
        let call = json!([{"type": "function", "function": {"name": "click", "arguments": "{\"eid\": 29}"}}]);
        let turn = answer(json!({ "content": null, "tool_calls": call })).expect("a turn");
        assert_eq!(turn.actions[0].params["eid"], 29);
        for field in ["reasoning_content", "reasoning"] {
            let turn = answer(json!({ "content": "", field: "{\"action\": \"click\", \"eid\": 29}" }))
                .expect("a turn");
            assert_eq!(turn.actions[0].params["eid"], 29);
            let mused =
                answer(json!({ "content": "", field: "I could do {\"action\": \"click\", \"eid\": 29}." }));
            assert_eq!(mused, Err(ReplyFault::Empty));
        }
    }
}
