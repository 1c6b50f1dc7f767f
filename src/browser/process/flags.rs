//! Command line flags of every Chromium process: no traffic of its own, no way out but the proxy, and no
//! throttling of pages.

pub const FLAGS: [&str; 34] = [
    "--disable-gpu",
    "--disable-quic",
    // WebRTC and DNS prefetching would bypass the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    // Chromium still asks for component updates and log-in state; these addresses lead nowhere.
    "--component-updater=url-source=http://127.0.0.1:9/",
    "--gaia-url=http://127.0.0.1:9",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-search-engine-choice-screen",
    "--disable-dev-shm-usage",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--hide-crash-restore-bubble",
    // Pages run at full speed while another is in front of them.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // IsolateSandboxedIframes: a sandboxed frame of `srcdoc` in a process of its own runs before its session is attached,
    // so that nothing wraps its sockets.
    // WebPayments: Chromium itself asks the address of a payment method, for a sheet that it cannot show here.
    "--disable-features=IsolateSandboxedIframes,WebPayments,Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades,DialMediaRouteProvider,WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxAimPopup,WebUIOmniboxFullPopup,NetworkTimeServiceQuerying",
    // Pages declare tools to agents: `document.modelContext`, and nothing else changes.
    "--enable-features=WebMCP",
    // Chromium itself sends what a service worker fetches in the background, and pauses none of it.
    "--disable-blink-features=BackgroundFetch",
    // A mouse, which a headless Chromium lacks: sites serve touch widgets without one, or hide what shows on hover.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
];

#[cfg(test)]
mod tests {
    use super::*;

    // Chromium reads the last of several such flags alone.
    #[test]
    fn features_are_switched_by_one_flag_each() {
        for switch in ["--disable-features=", "--enable-features=", "--disable-blink-features="] {
            assert_eq!(FLAGS.iter().filter(|flag| flag.starts_with(switch)).count(), 1, "{switch}");
        }
    }
}
