//! Verbs of commands in Ukrainian and English (`docs/turns.md`, "Plain commands"), the filler words before
//! them, and their lookup.

use crate::text::tokenize::Word;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Action that a command requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Open,
    /// Always a click: `click`, `клацни`.
    Click,
    DoubleClick,
    RightClick,
    /// `hold “Record” for 2 seconds`.
    Hold,
    /// A click, or a key press if the object is the name of a key: `press`, `натисни`.
    Press,
    Key,
    Type,
    /// `fill Login with olena`: the field comes first.
    Fill,
    /// `set Country to Poland`: types or selects, depending on the field.
    Set,
    Clear,
    Select,
    Check,
    Uncheck,
    Hover,
    /// `upload report.pdf to Photo`.
    Upload,
    Drag,
    Scroll,
    Wait,
    Back,
    Forward,
    Reload,
    Read,
    /// `find “Reviews”`, `find Reviews on the page`.
    Find,
    /// `call the tool search with city: Kyiv`: a tool that the page declares.
    Tool,
    NeedUser,
    Stop,
}

/// Phrases by verb, separated by `|`; the longest match wins.
const PHRASES: &[(Verb, &str)] = &[
    (
        Verb::Open,
        "open|open up|open the page|open page|open the site|open site|go to|go to the page|goto|navigate|navigate to|visit|browse to|load|enter the site",
    ),
    (
        Verb::Open,
        "відкрий|відкрийте|відкрити|відкривай|відкрий сайт|відкрий сторінку|відкрити сайт|відкрити сторінку|відкрийте сайт|відкрийте сторінку",
    ),
    (
        Verb::Open,
        "перейди|перейди на|перейди до|перейди в|перейди у|перейдіть на|перейдіть до|перейти на|перейти до|перейди за адресою|перейти за адресою|перейди на сайт|перейди на сторінку|перейти на сайт|перейти на сторінку",
    ),
    (
        Verb::Open,
        "зайди на|зайдіть на|зайти на|зайди в|зайди у|зайди до|зайди на сайт|зайди на сторінку|зайти на сайт|зайти на сторінку|завантаж сторінку|завантажити сторінку",
    ),
    (
        Verb::Click,
        "click|click on|click at|left click|left click on|tap|tap on|follow|клацни|клацни на|клацни по|клацніть|клацніть на|клацнути|клацнути на|клацнути по|клікни|клікни на|клікни по|клікніть|клікніть на|клікнути|клікнути на|тапни|тапни на|тапнути|тапнути на",
    ),
    (
        Verb::DoubleClick,
        "double click|double click on|double-click|double-click on|doubleclick|двічі клацни|двічі клацни на|двічі клацнути|двічі клацнути на|двічі натисни|двічі натисни на|двічі натиснути|подвійно клацни|подвійно клацни на|клацни двічі|клацни двічі на",
    ),
    (
        Verb::RightClick,
        "right click|right click on|right-click|right-click on|клацни правою|клацни правою на|клацни правою кнопкою|клацни правою кнопкою на|клацнути правою|клацнути правою кнопкою на|натисни правою кнопкою|натисни правою кнопкою на",
    ),
    (
        Verb::Hold,
        "hold|hold down|long press|long-press|long click|утримуй|утримуйте|утримувати|утримай|затисни|затисніть|затиснути",
    ),
    (
        Verb::Press,
        "press|press on|push|push on|hit|натисни|натисни на|натисніть|натисніть на|натиснути|натиснути на|натискай|натискай на|тисни|тисни на|тисніть|тисніть на|тиснути|тиснути на",
    ),
    (
        Verb::Key,
        "press key|press the key|press a key|hit key|hit the key|push key|key|натисни клавішу|натисніть клавішу|натиснути клавішу|натисни клавіші|натиснути клавіші|тисни клавішу|тиснути клавішу|натисни на клавішу|натиснути на клавішу|клавіша|клавішу",
    ),
    (
        Verb::Type,
        "type|type in|type text|type the text|enter|enter text|enter the text|input|write|write in|put|введи|введіть|ввести|вводь|введи текст|введіть текст|ввести текст|впиши|впишіть|вписати|впиши текст|вписати текст|напиши|напишіть|написати|напиши текст|написати текст|надрукуй|надрукувати|набери|наберіть|набрати|вбий",
    ),
    (Verb::Fill, "fill|fill in|fill out|заповни|заповніть|заповнити|заповни поле|заповнити поле"),
    (Verb::Set, "set|change|встанови|встановіть|встановити|зміни|змінити|постав|поставити"),
    (Verb::Clear, "clear|empty|erase|очисти|очистіть|очистити|зітри|стерти"),
    (Verb::Select, "select|choose|pick|обери|оберіть|обрати|обирай|вибери|виберіть|вибрати|вибирай"),
    (
        Verb::Check,
        "check|tick|check off|познач|позначте|позначити|позначай|постав позначку|поставити позначку|постав позначку на|постав позначку біля|постав галочку|постав галочку на|постав галочку біля|поставити галочку|поставити галочку біля|поставити галочку на|постав прапорець|постав прапорець біля|постав прапорець на|поставити прапорець|увімкни прапорець|увімкни|увімкнути|enable|turn on|switch on",
    ),
    (
        Verb::Uncheck,
        "uncheck|untick|unselect|deselect|disable|turn off|switch off|зніми позначку|зніми позначку з|зніми позначку зі|зніми позначку із|зніми позначку на|зніми позначку біля|зняти позначку|зняти позначку з|зняти позначку зі|зняти позначку із|зняти позначку біля|зніміть позначку|зніміть позначку з|зніміть позначку зі|зніми галочку|зніми галочку з|зніми галочку зі|зніми галочку із|зніми галочку біля|зняти галочку|зняти галочку з|зняти галочку зі|зніми прапорець|зніми прапорець з|зніми прапорець зі|зніми прапорець із|зняти прапорець|зняти прапорець з|вимкни|вимкнути",
    ),
    (
        Verb::Hover,
        "hover|hover on|hover over|mouse over|move mouse to|move the mouse to|point at|наведи|наведи на|наведіть на|навести|навести на|наведи курсор на|навести курсор на|наведи мишку на|наведи мишу на|наведи вказівник на|навести вказівник на",
    ),
    (
        Verb::Upload,
        "upload|upload file|upload the file|upload a file|upload files|upload the files|attach|attach file|attach the file|attach a file|attach files|attach the files|add file|add the file|add a file|add files|завантаж|завантажте|завантажити|завантаж файл|завантажте файл|завантажити файл|завантаж файли|завантажити файли|прикріпи|прикріпіть|прикріпити|прикріпляй|прикріпи файл|прикріпіть файл|прикріпити файл|прикріпи файли|прикріпити файли|додай файл|додайте файл|додати файл|додай файли|додати файли|долучи|долучіть|долучити|долучи файл|долучити файл|вивантаж|вивантажити|вивантаж файл|вивантажити файл",
    ),
    (Verb::Drag, "drag|drag and drop|перетягни|перетягніть|перетягнути|перетягти"),
    (
        Verb::Scroll,
        "scroll|scroll the page|scroll page|прокрути|прокрутіть|прокрутити|прокручуй|прокрути сторінку|прокрутити сторінку|прокрутіть сторінку|проскроль|проскролити|скрол|скроль|прогорни|прогорнути|гортай|гортати|погортай|промотай|промотати|page",
    ),
    (
        Verb::Wait,
        "wait|wait for|wait until|wait till|pause|зачекай|зачекайте|зачекати|зачекай на|зачекай поки|зачекай доки|зачекати поки|почекай|почекайте|почекати|почекай на|почекай поки|почекай доки|чекай|чекай на|чекай поки|чекати|дочекайся|дочекатися|дочекатись|пауза",
    ),
    (
        Verb::Back,
        "back|go back|назад|повернись|повернися|повернись назад|повернися назад|повернутися|повернутися назад|повернутись|повернутись назад|вернись|вернись назад|йди назад|перейди назад|перейти назад|крок назад",
    ),
    (Verb::Forward, "forward|go forward|вперед|уперед|йди вперед|перейди вперед|перейти вперед|крок вперед"),
    (
        Verb::Reload,
        "reload|refresh|reload the page|reload page|refresh the page|refresh page|reload this page|refresh this page|онови|оновіть|оновити|онови сторінку|оновіть сторінку|оновити сторінку|онови цю сторінку|перезавантаж|перезавантажити|перезавантаж сторінку|перезавантажити сторінку",
    ),
    (
        Verb::Read,
        "read|read out|read aloud|extract|get text of|get the text of|прочитай|прочитайте|прочитати|читай|зчитай|зчитати",
    ),
    (
        Verb::Find,
        "find|find the text|find on the page|look for|знайди|знайдіть|знайти|знайди текст|знайти текст|знайди на сторінці|знайти на сторінці|пошукай",
    ),
    (
        Verb::Tool,
        "call tool|call the tool|call page tool|call the page tool|call the page's tool|use tool|use the tool|run tool|run the tool|виклич інструмент|викличте інструмент|викликати інструмент|виклич інструмент сторінки|викликати інструмент сторінки|запусти інструмент|запустити інструмент|скористайся інструментом|скористатися інструментом",
    ),
    (
        Verb::NeedUser,
        "let me|let me do it|let me do this|let me drive|take over|take-over|takeover|i will do it|i'll do it|i will do it myself|i'll do it myself|hand over|hand it over|hand over to me|give me control|give me the mouse|дай мені|дайте мені|дай я|дай керування|дай мені керування|передай керування|передай мені|передай мені керування|я сам|я сама|я самостійно|перехоплюю керування|перебираю керування|візьму керування|беру керування",
    ),
    (Verb::Stop, "stop|stop here|stop it|стоп|зупинись|зупинися|зупинитися|зупинитись|зупини|досить|годі"),
];

/// A verb and the words of one of its phrases.
type Phrase = (Verb, Vec<&'static str>);

/// Returns the verb at the beginning of the words, and the number of words that it takes.
pub fn parse_verb(words: &[Word]) -> Option<(Verb, usize)> {
    /// Phrases by first word, the longest first.
    static BY_FIRST: LazyLock<HashMap<&'static str, Vec<Phrase>>> = LazyLock::new(by_first);
    let first = words.first().filter(|word| !word.quoted)?;
    let mut phrases = BY_FIRST.get(first.key.as_str())?.iter();
    phrases.find(|(_, phrase)| starts_with(words, phrase)).map(|(verb, phrase)| (*verb, phrase.len()))
}

/// Yields each verb's Ukrainian phrases if `cyrillic`, else the English ones.
pub fn phrases(cyrillic: bool) -> impl Iterator<Item = (Verb, &'static str)> {
    let all = PHRASES.iter().flat_map(|(verb, phrases)| phrases.split('|').map(|phrase| (*verb, phrase)));
    all.filter(move |(_, phrase)| phrase.is_ascii() != cyrillic)
}

/// Yields the first words of all phrases.
pub fn first_words() -> impl Iterator<Item = &'static str> {
    let phrases = PHRASES.iter().flat_map(|(_, phrases)| phrases.split('|'));
    phrases.filter_map(|phrase| phrase.split(' ').next())
}

fn by_first() -> HashMap<&'static str, Vec<Phrase>> {
    let mut table: HashMap<&'static str, Vec<Phrase>> = HashMap::new();
    for (verb, phrases) in PHRASES {
        for phrase in phrases.split('|').map(|phrase| phrase.split(' ').collect::<Vec<_>>()) {
            table.entry(phrase[0]).or_default().push((*verb, phrase));
        }
    }
    for phrases in table.values_mut() {
        phrases.sort_by_key(|(_, phrase)| std::cmp::Reverse(phrase.len()));
    }
    table
}

fn starts_with(words: &[Word], phrase: &[&str]) -> bool {
    words.len() >= phrase.len() && phrase.iter().zip(words).all(|(part, word)| word.is(part))
}

const FILLERS: &[&str] = &[
    "please",
    "pls",
    "kindly",
    "now",
    "then",
    "next",
    "and",
    "also",
    "first",
    "finally",
    "afterwards",
    "can",
    "could",
    "would",
    "you",
    "i",
    "want",
    "to",
    "ok",
    "okay",
    "прошу",
    "тепер",
    "зараз",
    "потім",
    "далі",
    "а",
    "і",
    "й",
    "та",
    "також",
    "ще",
    "спочатку",
    "спершу",
    "нарешті",
    "треба",
    "потрібно",
    "хочу",
    "можеш",
    "будь",
    "ласка",
    "будь-ласка",
    "ну",
    "отже",
];

/// True for courtesies, sequence words and list marks before the verb: `please`, `then`, `2.`, `-`.
pub fn is_filler(word: &Word) -> bool {
    if word.quoted {
        return false;
    }
    let mark = word.key.is_empty() || word.text.chars().all(|c| matches!(c, '-' | '*' | '•' | '–' | '—'));
    word.is_any(FILLERS) || mark || is_list_number(&word.text)
}

/// True for `1.`, `2)`, `(3)`.
fn is_list_number(text: &str) -> bool {
    let bare = text.trim_start_matches('(').trim_end_matches(['.', ')', ':']);
    bare.len() < text.len() && !bare.is_empty() && bare.len() <= 3 && bare.chars().all(|c| c.is_ascii_digit())
}
