//! What every Chromium of ours is started with: no talking to anybody by itself, no other way out than
//! the proxy, and pages that keep their pace.

pub const FLAGS: [&str; 31] = [
    "--disable-gpu",
    "--disable-quic",
    // Calls between browsers and look-ups of names would find other ways out than the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    // It asks for updates of its parts, and whether somebody is logged in to it, even so: of nobody then.
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
    // A page keeps its pace when another is in front of it.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades,DialMediaRouteProvider,WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxAimPopup,WebUIOmniboxFullPopup,NetworkTimeServiceQuerying",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
];
