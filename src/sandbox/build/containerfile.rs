//! Generates a Containerfile from the image settings of an agent, and parses existing ones (pure).

/// Generates a Containerfile that starts from an image and installs packages with the package manager of that
/// image.
pub fn generate_containerfile(from: &str, packages: &[String]) -> String {
    let mut text = format!("FROM {from}\n");
    if !packages.is_empty() {
        let names = packages.join(" ");
        text.push_str(&format!(
            "RUN set -eu; \\\n    \
             if command -v apt-get; then apt-get update; \\\n        \
             DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends {names}; \\\n        \
             rm -rf /var/lib/apt/lists/*; \\\n    \
             elif command -v apk; then apk add --no-cache {names}; \\\n    \
             elif command -v dnf; then dnf install -y {names}; dnf clean all; \\\n    \
             elif command -v microdnf; then microdnf install -y {names}; microdnf clean all; \\\n    \
             else echo \"no package manager is known in {from}\" >&2; exit 1; fi\n"
        ));
    }
    text
}

/// Known instructions of a Containerfile.
pub const KNOWN: [&str; 18] = [
    "ADD",
    "ARG",
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "EXPOSE",
    "FROM",
    "HEALTHCHECK",
    "LABEL",
    "MAINTAINER",
    "ONBUILD",
    "RUN",
    "SHELL",
    "STOPSIGNAL",
    "USER",
    "VOLUME",
    "WORKDIR",
];

/// Splits a Containerfile into instructions: joins continued lines and removes comments.
pub fn instructions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    let plain = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    for line in text.lines().map(str::trim_end).filter(plain) {
        let (words, next) = line.strip_suffix('\\').map_or((line, false), |words| (words, true));
        match found.last_mut().filter(|_| goes_on) {
            // Keeps the leading spaces, which separate words.
            Some(whole) => whole.push_str(words),
            None => found.push(words.trim_start().to_owned()),
        }
        goes_on = next;
    }
    found
}

/// Returns the base images, without stages of the file itself.
pub fn base_images(text: &str) -> Vec<String> {
    let (mut stages, mut found) = (Vec::new(), Vec::new());
    for line in instructions(text) {
        let mut words = line.split_whitespace();
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("FROM")) {
            continue;
        }
        let mut words = words.skip_while(|word| word.starts_with("--"));
        let Some(image) = words.next().map(str::to_owned) else { continue };
        if image != "scratch" && !stages.contains(&image.to_lowercase()) {
            found.push(image);
        }
        if let (Some(_as), Some(stage)) = (words.next(), words.next()) {
            stages.push(stage.to_lowercase());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    // A Containerfile is generated from YAML settings (S4.28).
    #[test]
    fn a_containerfile_comes_of_an_image_and_packages() {
        assert_eq!(generate_containerfile("debian:12-slim", &[]), "FROM debian:12-slim\n");
        let text = generate_containerfile("debian:12-slim", &[String::from("git"), String::from("g++")]);
        assert!(text.starts_with("FROM debian:12-slim\nRUN set -eu; \\\n"), "{text}");
        for line in [
            "apt-get install -y --no-install-recommends git g++; \\",
            "elif command -v apk; then apk add --no-cache git g++; \\",
            "elif command -v dnf; then dnf install -y git g++; dnf clean all; \\",
        ] {
            assert!(text.lines().any(|line_text| line_text.trim().ends_with(line)), "{line}: {text}");
        }
        assert_eq!(instructions(&text).len(), 2, "two instructions: {text}");
        assert_eq!(base_images(&text), ["debian:12-slim"]);
    }

    // Base images are found, and stages are not taken for images (S4.28).
    #[test]
    fn the_images_that_a_containerfile_begins_with_are_known() {
        let text = "# hello\nFROM --platform=linux/amd64 gcc:13 AS made\nRUN make \\\n  # why\n  all\nfrom scratch\nCOPY --from=made /a /a\nFROM Made\nFROM alpine\n";
        assert_eq!(base_images(text), ["gcc:13", "alpine"]);
    }
}
