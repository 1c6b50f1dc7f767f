//! Findings of `askfirst doctor`, with its advice. Names of settings, programs and files stay as they are.

texts! {
    fn chromium_missing() {
        uk: "не знайдено ні Chromium, ні Chrome",
        en: "no Chromium or Chrome was found",
    }
    fn file_missing(path: &str) {
        uk: "немає файлу {path}",
        en: "there is no {path}",
    }
    fn install_chromium() {
        uk: "встановіть його (`apt install chromium`, `dnf install chromium`, `pacman -S chromium`, `apk add chromium` або `brew install --cask chromium`; підійде і Google Chrome) чи задайте browser.executable",
        en: "install it (`apt install chromium`, `dnf install chromium`, `pacman -S chromium`, `apk add chromium` or `brew install --cask chromium`; Google Chrome will do, too), or set browser.executable",
    }
    fn chromium_works(name: &str) {
        uk: "{name} запускається й показує сторінку",
        en: "{name} starts and shows a page",
    }
    fn chromium_without_sandbox(name: &str) {
        uk: "{name} працює, але без власної пісочниці",
        en: "{name} works, but without its own sandbox",
    }
    fn install_chromium_sandbox() {
        uk: "встановіть chromium-sandbox або дозвольте простори імен для звичайних користувачів",
        en: "install chromium-sandbox or allow unprivileged user namespaces",
    }
    fn chromium_broken(name: &str, reason: &str) {
        uk: "{name} не працює: {reason}",
        en: "{name} does not work: {reason}",
    }
    fn reinstall_chromium() {
        uk: "перевстановіть його з рекомендованими пакунками або задайте в browser.executable інший",
        en: "reinstall it with its recommended packages, or set browser.executable to another",
    }
    fn chromium_finds_no_sandbox() {
        uk: "він не знаходить пісочниці",
        en: "it finds no sandbox",
    }
    fn chromium_printed_nothing() {
        uk: "він нічого не вивів",
        en: "it printed nothing",
    }
    fn chromium_of_unknown_version() {
        uk: "Chromium невідомої версії",
        en: "Chromium of unknown version",
    }
    fn no_answer_in_time() {
        uk: "немає відповіді за 10 секунд",
        en: "it did not answer within 10 seconds",
    }
    fn not_an_address(address: &str) {
        uk: "{address} — не адреса",
        en: "{address} is not an address",
    }
    fn address_answers(address: &str) {
        uk: "{address} відповідає",
        en: "{address} answers",
    }
    fn address_silent(address: &str, reason: &str) {
        uk: "{address} не відповідає: {reason}",
        en: "{address} does not answer: {reason}",
    }
    fn start_remote_chromium() {
        uk: "запустіть його з --remote-debugging-port або виправте browser.cdp_url",
        en: "start it with --remote-debugging-port, or correct browser.cdp_url",
    }
    fn no_model() {
        uk: "не задано; зрозумілі лише прості команди",
        en: "none is set; only simple commands are understood",
    }
    fn connect_model() {
        uk: "під’єднайте модель на сторінці «Модель» або задайте OPENAI_API_KEY чи, для власного сервера, model.base_url",
        en: "connect one on the page “Model”, or set OPENAI_API_KEY, or model.base_url for your own server",
    }
    fn correct_base_url() {
        uk: "виправте model.base_url",
        en: "correct model.base_url",
    }
    fn start_model_server() {
        uk: "запустіть сервер або виправте model.base_url",
        en: "start the server, or correct model.base_url",
    }
    fn model_key_refused(base: &str) {
        uk: "{base} не приймає ключа",
        en: "{base} refuses the key",
    }
    fn set_model_key() {
        uk: "задайте в OPENAI_API_KEY або model.api_key ключ цього сервера",
        en: "set OPENAI_API_KEY or model.api_key to a key of that server",
    }
    fn models_not_listed(base: &str, status: u16) {
        uk: "{base} відповідає, але не перелічує моделей (статус {status})",
        en: "{base} answers, but lists no models (status {status})",
    }
    fn check_base_url() {
        uk: "перевірте, чи закінчується model.base_url так, як чекає сервер, зазвичай на /v1",
        en: "check that model.base_url ends as the server expects, usually in /v1",
    }
    fn planner_not_set(base: &str) {
        uk: "{base} відповідає; model.planner не задано, тож діє типова модель",
        en: "{base} answers; model.planner is not set, so a default is used",
    }
    fn set_planner(models: &str) {
        uk: "задайте в model.planner одну з його моделей: {models}",
        en: "set model.planner to one of its models: {models}",
    }
    fn planner_found(base: &str, planner: &str) {
        uk: "{base} відповідає; планує {planner}",
        en: "{base} answers; {planner} plans",
    }
    fn window_kept(base: &str, planner: &str, context: &str, output: &str) {
        uk: "{base} відповідає; планує {planner}; запити вміщаються у {context} токенів, відповідь має щонайбільше {output}",
        en: "{base} answers; {planner} plans; requests fit {context} tokens, an answer has at most {output}",
    }
    fn window_smaller(base: &str, planner: &str, real: &str) {
        uk: "{base} відповідає, але контекст {planner} має лише {real} токенів",
        en: "{base} answers, but the context of {planner} has only {real} tokens",
    }
    fn set_window(real: &str) {
        uk: "вкажіть model.context_tokens = {real}",
        en: "set model.context_tokens to {real}",
    }
    fn planner_not_listed(base: &str, planner: &str) {
        uk: "{base} відповідає, але серед його моделей немає {planner}",
        en: "{base} answers, but does not list {planner}",
    }
    fn sandbox_off() {
        uk: "немає: код і команди агентів мають усі права сервісу",
        en: "none: agents’ code and commands run with all the rights of the service",
    }
    fn turn_sandbox_on() {
        uk: "приберіть sandbox.means і встановіть bubblewrap (apt install bubblewrap)",
        en: "unset sandbox.means, and install bubblewrap (apt install bubblewrap)",
    }
    fn program_works(name: &str) {
        uk: "{name} працює",
        en: "{name} works",
    }
    fn landlock_works() {
        uk: "Landlock і seccomp працюють; bubblewrap обмежує більше",
        en: "Landlock and seccomp work; bubblewrap holds more",
    }
    fn install_bubblewrap() {
        uk: "встановіть bubblewrap (apt install bubblewrap)",
        en: "install bubblewrap (apt install bubblewrap)",
    }
    fn no_sandbox() {
        uk: "немає, тож агенти з кодом чи командами не працюватимуть",
        en: "none, so agents with code or commands cannot run",
    }
    fn sandbox_without_python(sandbox: &str, reason: &str) {
        uk: "{sandbox}, але {reason}",
        en: "{sandbox}, but {reason}",
    }
    fn no_container_engine() {
        uk: "немає ні podman, ні docker, тож агенти, що працюють в образі (`build: {image: …}`), не запустяться",
        en: "neither podman nor docker, so agents that run in an image (`build: {image: …}`) cannot run",
    }
    fn correct_build_engine(path: &str) {
        uk: "немає файлу {path}; виправте build.engine",
        en: "there is no {path}; correct build.engine",
    }
    fn install_podman() {
        uk: "встановіть podman (apt install podman), якщо маєте таких агентів",
        en: "install podman (apt install podman) if you have such agents",
    }
    fn container_engine_broken(name: &str, reason: &str) {
        uk: "{name} не працює, тож агенти, що працюють в образі, не запустяться: {reason}",
        en: "{name} does not work, so agents that run in an image cannot run: {reason}",
    }
    fn start_container_engine() {
        uk: "запустіть його службу або встановіть podman (apt install podman)",
        en: "start its service, or install podman (apt install podman)",
    }
    fn folder_unusable(folder: &str, reason: &str) {
        uk: "{folder} непридатна: {reason}",
        en: "{folder} cannot be used: {reason}",
    }
    fn choose_folder() {
        uk: "виберіть іншу теку через --data-dir чи ASKFIRST_DATA_DIR або виправте права доступу",
        en: "choose another folder with --data-dir or ASKFIRST_DATA_DIR, or fix its permissions",
    }
    fn no_wal(mode: &str) {
        uk: "SQLite не може тут увімкнути WAL (лишається режим {mode}); може, це мережевий диск?",
        en: "SQLite cannot use WAL here (it stays in mode {mode}); is it a network drive?",
    }
    fn folder_writable(folder: &str) {
        uk: "у {folder} можна писати; SQLite працює в режимі WAL",
        en: "{folder} is writable; SQLite opens in WAL mode",
    }
    fn database_works(version: &str, address: &str) {
        uk: "PostgreSQL {version} за адресою {address} приймає записи; кодування UTF8, таблиці можна створювати",
        en: "PostgreSQL {version} at {address} takes writes; its encoding is UTF8, and tables can be created",
    }
    fn no_table_creation(version: &str, address: &str) {
        uk: "PostgreSQL {version} за адресою {address} не дозволяє цій ролі створювати таблиці",
        en: "PostgreSQL {version} at {address} does not let this role create tables",
    }
    fn allow_table_creation() {
        uk: "зробіть роль власником бази (`alter database … owner to …`), як описано в docs/cluster.md",
        en: "make the role the owner of its database (`alter database … owner to …`), as docs/cluster.md describes",
    }
    fn correct_store_url() {
        uk: "виправте store.url або налаштуйте сервер бази даних, як описано в docs/cluster.md",
        en: "correct store.url, or set up the database server as docs/cluster.md describes",
    }
    fn blobs_work() {
        uk: "сховище зображень і файлів приймає, віддає та видаляє їх",
        en: "the store of pictures and files takes them, gives them back and removes them",
    }
    fn blobs_are_silent() {
        uk: "сховище зображень і файлів не відповідає",
        en: "the store of pictures and files does not answer",
    }
    fn correct_blobs_url() {
        uk: "виправте blobs.url і ключі, як описано в docs/cluster.md",
        en: "correct blobs.url and its keys, as docs/cluster.md describes",
    }
    fn connection_is_local() {
        uk: "з’єднання з базою даних не залишають цієї машини",
        en: "connections to the database stay on this machine",
    }
    fn connection_is_verified() {
        uk: "з’єднання з базою даних зашифровані, сертифікат сервера перевірено",
        en: "connections to the database are encrypted, and the server’s certificate is checked",
    }
    fn certificate_unchecked() {
        uk: "з’єднання з базою даних зашифровані, але її місце може зайняти чужий сервер",
        en: "connections to the database are encrypted, but another server could take its place",
    }
    fn connection_unencrypted() {
        uk: "з’єднання з базою даних не зашифровані, тож їх видно в мережі",
        en: "connections to the database are not encrypted, so the network can read them",
    }
    fn verify_certificate() {
        uk: "додайте до store.url sslmode=verify-full, а для власного центру сертифікації ще й sslrootcert",
        en: "add sslmode=verify-full to store.url, and sslrootcert for an authority of your own",
    }
    fn single_primary() {
        uk: "один основний сервер без резервних: записи зберігаються, доки цілий його диск",
        en: "a single primary without standbys: commits last as long as its disk",
    }
    fn synchronous_standby() {
        uk: "кожен запис підтверджує синхронний резервний сервер",
        en: "a synchronous standby confirms each commit",
    }
    fn standby_not_synchronous() {
        uk: "резервний сервер не синхронний: якщо він замінить основний, йому може бракувати останніх записів",
        en: "the standby is not synchronous: if it takes over, it may lack the last commits",
    }
    fn make_standby_synchronous() {
        uk: "задайте на сервері synchronous_standby_names, бо інакше натискання може повторитися",
        en: "set synchronous_standby_names on the server; without it a click may happen twice",
    }
    fn commits_not_kept() {
        uk: "сервер підтверджує записи раніше, ніж вони на диску",
        en: "the server confirms commits before they are on the disk",
    }
    fn keep_commits() {
        uk: "увімкніть на сервері fsync і synchronous_commit",
        en: "turn on fsync and synchronous_commit on the server",
    }
    fn unknown_space() {
        uk: "невідомо, скільки вільного місця",
        en: "unknown free space",
    }
    fn check_space() {
        uk: "перевірте, чи є місце на диску теки даних",
        en: "check that the disk of the data folder has space",
    }
    fn free_space(gigabytes: f64) {
        uk: "вільно {gigabytes:.1} ГБ",
        en: "{gigabytes:.1} GB free",
    }
    fn make_space() {
        uk: "звільніть місце або виберіть іншу теку через --data-dir",
        en: "free some space, or choose another folder with --data-dir",
    }
    fn port_free(address: &str) {
        uk: "{address} вільний",
        en: "{address} is free",
    }
    fn port_unusable(address: &str, reason: &str) {
        uk: "{address} непридатний: {reason}",
        en: "{address} cannot be used: {reason}",
    }
    fn correct_host() {
        uk: "виправте server.host або виберіть server.port від 1024",
        en: "correct server.host, or choose a server.port of 1024 or above",
    }
    fn port_used_by_service(address: &str) {
        uk: "{address} зайняв сервіс, що працює, можливо, цей самий",
        en: "{address} is used by a running service, perhaps this one",
    }
    fn change_port() {
        uk: "якщо це інша програма, задайте server.port або --port",
        en: "if it is another program, set server.port or use --port",
    }
    fn port_taken(address: &str) {
        uk: "{address} зайняла інша програма",
        en: "{address} is used by another program",
    }
    fn free_port() {
        uk: "зупиніть програму, що там слухає, або задайте server.port чи --port",
        en: "stop the program that listens there, set server.port or use --port",
    }
}
