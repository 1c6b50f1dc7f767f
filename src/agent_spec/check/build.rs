//! Checks the section `build`, or the separate file in its place.

use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::build::{Build, FILE, Image};
use crate::agent_spec::types::spec::{AgentSpec, Kind};
use std::path::{Component, Path};

pub fn check(spec: &AgentSpec, others: Option<&dyn AgentLookup>, found: &mut Vec<SpecFault>) {
    let beside = others.and_then(|others| others.build_beside(&spec.name));
    if let Some(build) = &spec.build {
        found.extend(faults(build, spec));
        if beside.is_some() {
            let message = format!("stands here and in {FILE}, too, which is not read then");
            found.push(SpecFault::warning("build", message).hint("keep one of them"));
        }
        return;
    }
    match beside {
        Some(Ok(build)) => found.extend(faults(&build, spec).into_iter().map(|fault| {
            let message = format!("of {FILE}: {}", fault.message);
            SpecFault { message, ..fault }
        })),
        Some(Err(fault)) => found.push(SpecFault::new("", format!("{} {}", fault.path, fault.message))),
        None => {}
    }
}

/// Returns the faults of a `build` section.
pub fn faults(build: &Build, spec: &AgentSpec) -> Vec<SpecFault> {
    let mut found = Vec::new();
    if spec.kind == Kind::Composite || (spec.python.is_none() && spec.shell.is_none()) {
        let message = "belongs to an agent with the section python or shell; leave it out";
        return vec![SpecFault::new("build", message)];
    }
    match (&build.pip, &build.image) {
        (Some(pip), None) => {
            if spec.python.is_none() {
                found.push(SpecFault::new("build.pip", "belongs to an agent with the section python"));
            }
            if !is_file(&pip.lock) {
                found.push(SpecFault::new("build.pip.lock", IN_FOLDER));
            }
        }
        (None, Some(image)) => check_image(image, &mut found),
        (Some(_), Some(_)) | (None, None) => {
            found.push(SpecFault::new("build", "must have exactly one of pip, image"));
        }
    }
    found
}

const IN_FOLDER: &str = "must be a file of the agent's own folder: neither absolute nor with `..`";

fn check_image(image: &Image, found: &mut Vec<SpecFault>) {
    match (&image.file, &image.from) {
        (Some(file), None) if !is_file(file) => found.push(SpecFault::new("build.image.file", IN_FOLDER)),
        (Some(_), None) if !image.packages.is_empty() => {
            let message = "belong to `from`; in a Containerfile of your own, RUN adds them";
            found.push(SpecFault::new("build.image.packages", message));
        }
        (None, Some(from)) if !is_reference(from) => {
            let message = "must name an image, such as debian:12 or docker.io/library/python:3.13-slim";
            found.push(SpecFault::new("build.image.from", message));
        }
        (Some(_), None) | (None, Some(_)) => {}
        (Some(_), Some(_)) | (None, None) => {
            found.push(SpecFault::new("build.image", "must have exactly one of file, from"));
        }
    }
    for (index, name) in image.packages.iter().enumerate() {
        if !is_package(name) {
            let message = format!("\"{name}\" is not a package name");
            found.push(SpecFault::new(format!("build.image.packages[{index}]"), message));
        }
    }
}

fn is_file(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let plain = parts.all(|part| matches!(part, Component::Normal(_)));
    plain && !name.is_empty() && !name.ends_with('/') && !name.contains(['\\', '\0', '\n'])
}

/// True if the name is safe in a line of a Containerfile.
fn is_reference(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(known)
}

/// True if the name is safe as a word in a shell.
fn is_package(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || ".+-:=~_@".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(known)
}
