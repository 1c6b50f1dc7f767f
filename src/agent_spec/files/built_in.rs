//! Agents that ship with the binary.

/// Names and texts of the agents. Missing ones are written into the agents' folder at start-up.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("assistant", include_str!("../../../agents/assistant.yaml")),
    ("browser", include_str!("../../../agents/browser.yaml")),
    ("classify_task", include_str!("../../../agents/classify_task.yaml")),
    ("count_one", include_str!("../../../agents/count_one.yaml")),
    ("countdown", include_str!("../../../agents/countdown.yaml")),
    ("demo_order", include_str!("../../../agents/demo_order.yaml")),
    ("echo", include_str!("../../../agents/echo.yaml")),
    ("echo_plan", include_str!("../../../agents/echo_plan.yaml")),
    ("echo_simple", include_str!("../../../agents/echo_simple.yaml")),
    ("keep_task", include_str!("../../../agents/keep_task.yaml")),
    ("price_report", include_str!("../../../agents/price_report.yaml")),
    ("read_catalogue", include_str!("../../../agents/read_catalogue.yaml")),
    ("read_file", include_str!("../../../agents/read_file.yaml")),
    ("sum_prices", include_str!("../../../agents/sum_prices.yaml")),
    ("task_classifier", include_str!("../../../agents/task_classifier.yaml")),
    ("tell_prices", include_str!("../../../agents/tell_prices.yaml")),
    ("workflow_demo", include_str!("../../../agents/workflow_demo.yaml")),
    ("write_file", include_str!("../../../agents/write_file.yaml")),
];
