//! Sentences of the gate: the effect of an action, its gesture, and reasons of built-in decisions.

texts! {
    // Effects by class.
    fn read() { uk: "Прочитати", en: "Read" }
    fn open() { uk: "Відкрити", en: "Open" }
    fn change_view() { uk: "Змінити те, що показано", en: "Change what is shown" }
    fn submit_form() { uk: "Надіслати форму", en: "Submit a form" }
    fn send_data() { uk: "Надіслати дані", en: "Send data" }
    fn send_message() { uk: "Надіслати повідомлення", en: "Send a message" }
    fn buy_or_order() { uk: "Купити або замовити", en: "Buy or order" }
    fn delete() { uk: "Видалити", en: "Delete" }
    fn change_account() { uk: "Змінити обліковий запис", en: "Change the account" }
    fn give_access() { uk: "Надати доступ або дозвіл", en: "Give access or permission" }
    fn sign_in_with_password() { uk: "Увійти з паролем", en: "Sign in with the password" }
    fn upload_file() { uk: "Передати файл", en: "Upload a file" }
    fn download_file() { uk: "Завантажити файл", en: "Download a file" }
    fn run_command() { uk: "Виконати команду", en: "Run a command" }
    fn run_python() { uk: "Виконати програму на Python", en: "Run a Python program" }
    fn compute() { uk: "Обчислити", en: "Compute" }
    fn call_agent() { uk: "Викликати агента", en: "Call an agent" }
    fn call_tool() { uk: "Викликати інструмент іншого сервера", en: "Call a tool of another server" }
    fn perform_action() { uk: "Виконати дію", en: "Perform an action" }

    // Effects by the intent that the page names.
    fn place_order() { uk: "Оформити замовлення", en: "Place the order" }
    fn pay() { uk: "Заплатити", en: "Pay" }
    fn buy() { uk: "Купити", en: "Buy" }
    fn book() { uk: "Забронювати", en: "Book" }
    fn take_paid_subscription() { uk: "Оформити платну підписку", en: "Take out a paid subscription" }
    fn transfer_money() { uk: "Переказати гроші", en: "Transfer money" }
    fn subscribe() { uk: "Підписатися", en: "Subscribe" }
    fn save_changes() { uk: "Зберегти зміни", en: "Save changes" }
    fn change_cart() { uk: "Змінити кошик або список", en: "Change the cart or a list" }
    fn delete_account() { uk: "Видалити обліковий запис", en: "Delete the account" }
    fn create_account() { uk: "Створити обліковий запис", en: "Create an account" }
    fn sign_out() { uk: "Вийти з облікового запису", en: "Sign out" }
    fn cancel_subscription() { uk: "Скасувати підписку", en: "Cancel the subscription" }
    fn change_password() { uk: "Змінити пароль або дані входу", en: "Change the password or sign-in details" }
    fn save_password() { uk: "Зберегти пароль", en: "Save a password" }
    fn revoke_access() { uk: "Забрати доступ або дозвіл", en: "Remove access or permission" }
    fn sign_in_with_service() { uk: "Увійти через інший сервіс", en: "Sign in with another service" }
    fn publish() { uk: "Опублікувати", en: "Publish" }
    fn submit_form_named(name: &str) { uk: "Надіслати форму «{name}»", en: "Submit the form “{name}”" }

    // Parts that follow the effect.
    fn at_page(address: &str) { uk: " сторінку {address}", en: " the page {address}" }
    fn at_site(address: &str) { uk: " на {address}", en: " on {address}" }
    fn to_site(address: &str) { uk: " на {address}", en: " to {address}" }
    fn by_channel(path: &str) { uk: " каналом {path}", en: " by the channel {path}" }
    fn and_more(more: usize) { uk: " і ще {more}", en: " and {more} more" }
    fn take_text(from: &str, to: &str) {
        uk: "Перенести текст із {from} на {to}?",
        en: "Take text from {from} to {to}?",
    }
    fn flow_reason() {
        uk: "Агент прочитав цей текст в іншому місці, і сайт, на який він піде, його ще не має.",
        en: "The agent read this text elsewhere, and the site that it would go to does not have it yet.",
    }
    fn keep_program(name: &str, kind: &str, size: &str, from: &str) {
        uk: "Зберегти файл «{name}» ({kind}, {size}) із {from}? Його можна запустити на комп’ютері",
        en: "Keep the file “{name}” ({kind}, {size}) from {from}? It can be run on a computer",
    }
    fn windows_program() { uk: "програма для Windows", en: "Windows program" }
    fn linux_program() { uk: "програма для Linux", en: "Linux program" }
    fn script_file() { uk: "скрипт", en: "script" }
    fn shortcut() { uk: "ярлик", en: "shortcut" }
    fn archive_with_code() { uk: "архів із макросами або кодом", en: "archive with macros or code" }
    fn document_with_macros() { uk: "документ із макросами", en: "document with macros" }
    fn program() { uk: "програма", en: "program" }
    fn differs_from_approved(sentence: &str, names: &str) {
        uk: "{sentence}. Це відрізняється від того, що ви дозволили: {names}",
        en: "{sentence}. This differs from what you approved: {names}",
    }
    fn beginning_of_text(sentence: &str, text: &str) {
        uk: "{sentence}. Це лише початок тексту, який вводить агент: «{text}»",
        en: "{sentence}. This is only the beginning of the text that the agent types: “{text}”",
    }
    fn of_requests(sentence: &str, count: usize) {
        uk: "{sentence}; разом запитів: {count}",
        en: "{sentence}; {count} requests together",
    }
    fn for_total(total: &str) { uk: " на суму {total}", en: " for {total}" }
    fn effect_unclear() { uk: ": наслідок незрозумілий", en: ": effect unclear" }
    fn leaves_site(from: &str) {
        uk: "; дані підуть із {from} на інший сайт",
        en: "; the data goes from {from} to another site",
    }

    // Gestures as the whole sentence.
    fn click_unnamed() { uk: "Натиснути кнопку без назви", en: "Click a button without a name" }
    fn click(name: &str) { uk: "Натиснути «{name}»", en: "Click “{name}”" }
    fn press_key(key: &str, name: &str) { uk: "Натиснути клавішу {key} у «{name}»", en: "Press {key} in “{name}”" }
    fn press_enter(name: &str) { uk: "Натиснути Enter у полі «{name}»", en: "Press Enter in “{name}”" }
    fn enter_text(name: &str) { uk: "Ввести текст у поле «{name}»", en: "Enter text in “{name}”" }
    fn attach_file(name: &str) { uk: "Додати файл у «{name}»", en: "Attach a file to “{name}”" }
    fn accept_dialog(name: &str) { uk: "Натиснути «OK» у діалозі «{name}»", en: "Press “OK” in the dialog “{name}”" }
    fn call_page_tool(name: &str) {
        uk: "Викликати інструмент сторінки «{name}»",
        en: "Call the page’s tool “{name}”",
    }
    fn select_text(words: &str) { uk: "Виділити слова «{words}»", en: "Select the words “{words}”" }
    fn drag(held: &str, name: &str) { uk: "Перетягнути «{held}» на «{name}»", en: "Drag “{held}” onto “{name}”" }

    // Gestures in brackets.
    fn unnamed_button() { uk: "кнопка без назви", en: "a button without a name" }
    fn next_to(near: &str) { uk: "поруч із «{near}»", en: "next to “{near}”" }
    fn by_key(key: &str, name: &str) { uk: "клавіша {key} у «{name}»", en: "key {key} in “{name}”" }
    fn by_enter(name: &str) { uk: "Enter у полі «{name}»", en: "Enter in “{name}”" }
    fn by_typing(name: &str) { uk: "текст у полі «{name}»", en: "text in “{name}”" }
    fn into_field(name: &str) { uk: "у «{name}»", en: "into “{name}”" }
    fn by_dialog(name: &str) { uk: "«OK» у діалозі «{name}»", en: "“OK” in “{name}”" }
    fn by_page_tool(name: &str) { uk: "інструмент сторінки «{name}»", en: "the page’s tool “{name}”" }
    fn by_dragging(held: &str, name: &str) { uk: "перетягнути «{held}» на «{name}»", en: "drag “{held}” onto “{name}”" }

    // Reasons.
    fn no_rule() {
        uk: "Жодне правило не говорить про таку дію.",
        en: "No rule speaks of such an action.",
    }
    fn own_service() {
        uk: "Агент не може керувати цим сервісом: тут людина відповідає на його запитання.",
        en: "An agent may not drive this service: a person answers its questions here.",
    }
    fn settings_allow() {
        uk: "Налаштування дозволяють цей інструмент.",
        en: "The settings allow this tool.",
    }
    fn settings_confirm() {
        uk: "Налаштування вимагають питати про цей інструмент.",
        en: "The settings require asking about this tool.",
    }
    fn settings_forbid() {
        uk: "Налаштування забороняють цей інструмент.",
        en: "The settings forbid this tool.",
    }
}
