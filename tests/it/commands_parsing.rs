//! Orders in both languages, as people give them, and the actions that they become on a small page.
// S1.11, and the commands of docs/turns.md, "Plain commands".

use crate::commands_page::{Talk, page};

const SHOP: &str = r#"
- banner
  - link "Demo shop" [1]
  - searchbox "Search products" [2]
  - button "Search" [3]
  - link "Cart" [4]
  - link "Про нас" [5]
- main
  - heading "Sign in"
  - textbox "Login" [10]
  - textbox "Password" [11]
  - textbox "Логін" [12]
  - textbox "Повідомлення" [13]
  - combobox "Country" [14] options="Ukraine|Poland|Germany"
  - combobox "Країна" [15] options="Україна|Польща|Німеччина"
  - listbox "Colours" [16] options="Red|Green|Blue"
  - checkbox "Gift wrap" [17]
  - checkbox "Newsletter" [18] checked
  - checkbox "Подарункова упаковка" [19]
  - checkbox "Розсилка" [20] checked
  - radio "Courier" [21]
  - radio "Самовивіз" [22]
  - button "Sign in" [23]
  - button "Увійти" [24]
  - button "Place order" [25]
  - button "Оформити замовлення" [26]
  - button "Далі" [27]
  - button "Cut and paste" [28]
  - button "Disabled thing" [29] disabled
  - textbox "Message" [30]
  - spinbutton "Кількість" [31]
  - tab "Reviews" [32]
  - list "Products" [33]
    - listitem
      - text "Blue lamp"
      - button "Add to cart" [40]
    - listitem
      - text "Red lamp"
      - button "Add to cart" [41]
- link "Home" [50]
- button "7" [51]
- button "Delete" [52]
- combobox "Size" [53] collapsed
- textbox "E-mail" [54]
"#;

/// Messages, each with the turns that it becomes on `SHOP`.
const ORDERS: &[(&str, &[&str])] = &[
    // Several fields at once; a value with a comma stays one.
    (
        "fill Login with olena, Country: Poland, Gift wrap: yes",
        &[r#"fill {"eid":10,"text":"olena"} {"eid":14,"option":["Poland"]} {"eid":17,"checked":true}"#],
    ),
    (
        "заповни «Логін» значенням olena, «Повідомлення» значенням Добрий день",
        &[r#"fill {"eid":12,"text":"olena"} {"eid":13,"text":"Добрий день"}"#],
    ),
    ("fill Message with tea with milk, sugar", &[r#"type 30 "tea with milk, sugar""#]),
    ("fill Login: olena", &[r#"type 10 "olena""#]),
    // Finding; a goal is no command.
    ("find “Reviews”", &[r#"find "Reviews""#]),
    ("find blue lamp on the page", &[r#"find "blue lamp""#]),
    ("знайди червону лампу на сторінці", &[r#"find "червону лампу""#]),
    ("find the cheapest lamp", &[]),
    // Rows.
    ("read the table as CSV", &["rows Csv "]),
    ("прочитай список у JSON", &["rows Json "]),
    ("read Products as csv", &["rows Csv 33"]),
    ("read the columns \"Name\", \"Price\" as JSON", &["rows Json Name|Price"]),
    ("прочитай стовпці Ціна, Назва як CSV", &["rows Csv Ціна|Назва"]),
    ("read the page", &["extract"]),
    // Waiting for an end.
    ("wait until “Loading” is gone", &[r#"wait gone "Loading""#]),
    ("wait until Loading disappears", &[r#"wait gone "Loading""#]),
    ("зачекай, поки зникне «Завантаження»", &[r#"wait gone "Завантаження""#]),
    ("wait until “Gone with the wind” appears", &[r#"wait 20 "Gone with the wind""#]),
    // Keys held, and time.
    ("click Delete with Control", &["click 52 [Control] 0"]),
    ("click Delete holding Ctrl+Shift", &["click 52 [Control, Shift] 0"]),
    ("клацни «Далі», утримуючи Shift", &["click 27 [Shift] 0"]),
    ("hold “Delete”", &["click 52 [] 1000"]),
    ("hold Delete for 2 seconds", &["click 52 [] 2000"]),
    ("утримуй «Далі» 3 секунди", &["click 27 [] 3000"]),
    // Opening.
    ("open example.com", &["navigate https://example.com"]),
    ("Open example.com.", &["navigate https://example.com"]),
    ("go to https://example.com/a?b=1;c=2#d", &["navigate https://example.com/a?b=1;c=2#d"]),
    ("go to \"example.com\"", &["navigate https://example.com"]),
    ("open localhost", &["navigate http://localhost"]),
    ("open localhost:8787/demo/", &["navigate http://localhost:8787/demo/"]),
    ("open 127.0.0.1:8787/demo/", &["navigate http://127.0.0.1:8787/demo/"]),
    ("open 192.168.0.1", &["navigate http://192.168.0.1"]),
    ("open shop.test:8080", &["navigate http://shop.test:8080"]),
    ("open [::1]:8080/x", &["navigate http://[::1]:8080/x"]),
    ("open file:///etc/passwd", &["navigate file:///etc/passwd"]),
    ("open javascript:alert(1)", &["navigate javascript:alert(1)"]),
    ("open /checkout", &["navigate http://shop.test/checkout"]),
    ("example.com", &["navigate https://example.com"]),
    ("https://example.com/x", &["navigate https://example.com/x"]),
    ("visit example.com", &["navigate https://example.com"]),
    ("navigate to example.com", &["navigate https://example.com"]),
    ("відкрий example.com", &["navigate https://example.com"]),
    ("відкрити example.com", &["navigate https://example.com"]),
    ("Відкрийте сайт example.com, будь ласка", &["navigate https://example.com"]),
    ("перейди на example.com", &["navigate https://example.com"]),
    ("перейти на https://приклад.укр/шлях", &["navigate https://приклад.укр/шлях"]),
    ("зайди на example.com", &["navigate https://example.com"]),
    ("зайти на localhost:3000", &["navigate http://localhost:3000"]),
    ("open Cart", &["click 4"]),
    ("відкрий Про нас", &["click 5"]),
    ("go to the Cart link", &["click 4"]),
    // Clicking.
    ("click Sign in", &["click 23"]),
    ("click on Sign in", &["click 23"]),
    ("click the Sign in button", &["click 23"]),
    ("click the \"Sign in\" button", &["click 23"]),
    ("click button \"Sign in\"", &["click 23"]),
    ("click 'Sign in'", &["click 23"]),
    ("click ‘Sign in’", &["click 23"]),
    ("click “Sign in”", &["click 23"]),
    ("click «Sign in»", &["click 23"]),
    ("CLICK SIGN IN", &["click 23"]),
    ("click sign-in", &["click 23"]),
    ("click signin", &["click 23"]),
    ("please click Sign in", &["click 23"]),
    ("Click Sign in, please", &["click 23"]),
    ("press Sign in", &["click 23"]),
    ("tap Sign in", &["click 23"]),
    ("tap on Sign in", &["click 23"]),
    ("double click Sign in", &["click 23 twice"]),
    ("right-click Sign in", &["click 23 right"]),
    ("click Place ordr", &["click 25"]),
    ("click Place", &["click 25"]),
    ("click order", &["click 25"]),
    ("click Search", &["click 3"]),
    ("click the Search products field", &["click 2"]),
    ("click Home", &["click 50"]),
    ("press Home", &["click 50"]),
    ("press Delete", &["click 52"]),
    ("press 7", &["click 51"]),
    ("click Reviews", &["click 32"]),
    ("click Cut and paste", &["click 28"]),
    ("натисни Увійти", &["click 24"]),
    ("натисни на Увійти", &["click 24"]),
    ("натиснути Увійти", &["click 24"]),
    ("натисніть на кнопку Увійти", &["click 24"]),
    ("натисни кнопку «Увійти»", &["click 24"]),
    ("натисни на кнопку з написом «Увійти»", &["click 24"]),
    ("клацни Увійти", &["click 24"]),
    ("клацни на «Увійти»", &["click 24"]),
    ("клацнути по Увійти", &["click 24"]),
    ("тисни Увійти", &["click 24"]),
    ("тиснути Увійти", &["click 24"]),
    ("Натисни Увійти, будь ласка", &["click 24"]),
    ("натисни на посилання Про нас", &["click 5"]),
    ("натисни Оформити замовлення", &["click 26"]),
    ("натисни Далі", &["click 27"]),
    ("натисни далі", &["click 27"]),
    ("натисни кнопку Далі", &["click 27"]),
    ("натисни «Далі» далі натисни Увійти", &["click 27", "click 24"]),
    ("натисни далі далі натисни увійти", &["click 27", "click 24"]),
    ("click the second Add to cart", &["click 41"]),
    ("click the last Add to cart button", &["click 41"]),
    ("click Add to cart", &["click 40"]),
    ("click Add to cart near Red lamp", &["click 41"]),
    ("click Add to cart for Blue lamp", &["click 40"]),
    ("натисни Add to cart біля Red lamp", &["click 41"]),
    ("натисни другу кнопку Add to cart", &["click 41"]),
    // Typing.
    ("type olena into Login", &["type 10 \"olena\""]),
    ("type olena in Login", &["type 10 \"olena\""]),
    ("type \"olena\" into \"Login\"", &["type 10 \"olena\""]),
    ("type olena into the Login field", &["type 10 \"olena\""]),
    ("type 'olena' in the field Login", &["type 10 \"olena\""]),
    ("enter olena into Login", &["type 10 \"olena\""]),
    ("enter olena in Login", &["type 10 \"olena\""]),
    ("write hello world to Message", &["type 30 \"hello world\""]),
    ("type made in Ukraine into Search products", &["type 2 \"made in Ukraine\""]),
    ("type salt in water in Message", &["type 30 \"salt in water\""]),
    ("type \"then; and then\" into Message", &["type 30 \"then; and then\""]),
    ("type “a\nb” into Message", &["type 30 \"a\\nb\""]),
    ("type don't panic into Message", &["type 30 \"don't panic\""]),
    ("fill Login with olena", &["type 10 \"olena\""]),
    ("fill in the Login field with \"olena\"", &["type 10 \"olena\""]),
    ("set Login to olena", &["type 10 \"olena\""]),
    ("type to be or not to be into Message", &["type 30 \"to be or not to be\""]),
    ("enter in Ukraine we trust into Message", &["type 30 \"in Ukraine we trust\""]),
    ("in Login type olena", &["type 10 \"olena\""]),
    ("clear Login", &["type 10 \"\""]),
    ("type a@b.test into E-mail", &["type 54 \"a@b.test\""]),
    ("введи olena у поле Логін", &["type 12 \"olena\""]),
    ("введи olena в поле Логін", &["type 12 \"olena\""]),
    ("введи olena у Логін", &["type 12 \"olena\""]),
    ("введи olena до поля Логін", &["type 12 \"olena\""]),
    ("ввести olena в Логін", &["type 12 \"olena\""]),
    ("введіть «olena» у поле «Логін»", &["type 12 \"olena\""]),
    ("впиши olena у Логін", &["type 12 \"olena\""]),
    ("вписати olena до поля Логін", &["type 12 \"olena\""]),
    ("напиши Привіт у світі у поле Повідомлення", &["type 13 \"Привіт у світі\""]),
    ("написати «Добрий день» в Повідомлення", &["type 13 \"Добрий день\""]),
    ("введи 5 в Кількість", &["type 31 \"5\""]),
    ("введи п'ять яблук у Повідомлення", &["type 13 \"п'ять яблук\""]),
    ("введи у поле «Логін» «olena»", &["type 12 \"olena\""]),
    ("введи у поле Логін olena", &["type 12 \"olena\""]),
    ("у поле Логін введи olena", &["type 12 \"olena\""]),
    ("заповни поле Логін значенням olena", &["type 12 \"olena\""]),
    ("заповни Логін: olena", &["type 12 \"olena\""]),
    ("очисти поле Логін", &["type 12 \"\""]),
    // Selecting.
    ("select Poland in Country", &["select 14 Poland"]),
    ("choose Poland in Country", &["select 14 Poland"]),
    ("select Poland from the Country list", &["select 14 Poland"]),
    ("select \"Poland\" in \"Country\"", &["select 14 Poland"]),
    ("select poland in country", &["select 14 Poland"]),
    ("select Poland", &["select 14 Poland"]),
    ("set Country to Poland", &["select 14 Poland"]),
    ("select Red, Blue in Colours", &["select 16 Red|Blue"]),
    ("select \"Red\", \"Green\" in Colours", &["select 16 Red|Green"]),
    ("select Red and Green in Colours", &["select 16 Red|Green"]),
    ("select Courier", &["click 21"]),
    ("обери Польща в Країна", &["select 15 Польща"]),
    ("обери Польщу у списку Країна", &["select 15 Польща"]),
    ("вибери «Польща» зі списку «Країна»", &["select 15 Польща"]),
    ("вибрати Польщу в списку Країна", &["select 15 Польща"]),
    ("обрати Німеччину у Країна", &["select 15 Німеччина"]),
    ("у списку Країна обери Польщу", &["select 15 Польща"]),
    ("обери Польща", &["select 15 Польща"]),
    ("обери Самовивіз", &["click 22"]),
    // Checking.
    ("check Gift wrap", &["click 17"]),
    ("tick the Gift wrap checkbox", &["click 17"]),
    ("check Newsletter", &[]),
    ("uncheck Newsletter", &["click 18"]),
    ("uncheck Gift wrap", &[]),
    ("познач Подарункова упаковка", &["click 19"]),
    ("позначити «Подарункова упаковка»", &["click 19"]),
    ("постав галочку біля Подарункова упаковка", &["click 19"]),
    ("зніми позначку Розсилка", &["click 20"]),
    ("зніми позначку з Розсилка", &["click 20"]),
    ("зніми позначку з Розсилки", &["click 20"]),
    ("зняти позначку з «Розсилка»", &["click 20"]),
    // Keys.
    ("press Enter", &["press Enter"]),
    ("press the Enter key", &["press Enter"]),
    ("press key Enter", &["press Enter"]),
    ("press ctrl+a", &["press Control+a"]),
    ("press Control+A", &["press Control+A"]),
    ("press Shift + Tab", &["press Shift+Tab"]),
    ("press esc", &["press Escape"]),
    ("press Page Down", &["press PageDown"]),
    ("press F5", &["press F5"]),
    ("press key Delete", &["press Delete"]),
    ("hit Enter", &["press Enter"]),
    ("натисни клавішу Enter", &["press Enter"]),
    ("натиснути клавішу Escape", &["press Escape"]),
    ("натисни Enter", &["press Enter"]),
    ("тисни клавішу пробіл", &["press Space"]),
    ("натисни клавіші Ctrl+A", &["press Control+A"]),
    ("натисни стрілку вниз", &["press ArrowDown"]),
    // Scrolling.
    ("scroll down", &["scroll down 1"]),
    ("scroll", &["scroll down 1"]),
    ("scroll up", &["scroll up 1"]),
    ("scroll down 3 pages", &["scroll down 3"]),
    ("scroll down a bit", &["scroll down 0.5"]),
    ("scroll to the bottom", &["scroll bottom 1"]),
    ("scroll to the top of the page", &["scroll top 1"]),
    ("scroll down to the end", &["scroll bottom 1"]),
    ("scroll down in Products", &["scroll down 1 in 33"]),
    ("прокрути вниз", &["scroll down 1"]),
    ("прокрутити вгору", &["scroll up 1"]),
    ("прокрути сторінку вниз", &["scroll down 1"]),
    ("прокрути вниз на 2 сторінки", &["scroll down 2"]),
    ("прокрути до кінця", &["scroll bottom 1"]),
    ("прокрути до самого низу", &["scroll bottom 1"]),
    ("прокрути до початку сторінки", &["scroll top 1"]),
    ("прокрути до Reviews", &[]),
    // Waiting.
    ("wait", &["wait 2"]),
    ("wait 3 seconds", &["wait 3"]),
    ("wait for 3s", &["wait 3"]),
    ("wait half a minute", &["wait 30"]),
    ("wait until Thank you appears", &["wait 20 \"Thank you\""]),
    ("wait for \"Thank you\"", &["wait 20 \"Thank you\""]),
    ("зачекай", &["wait 2"]),
    ("зачекай 3 секунди", &["wait 3"]),
    ("зачекати 1 хвилину", &["wait 60"]),
    ("почекай дві секунди", &["wait 2"]),
    ("зачекай, поки з'явиться «Дякуємо»", &["wait 20 \"Дякуємо\""]),
    ("дочекайся Дякуємо", &["wait 20 \"Дякуємо\""]),
    // The rest.
    ("back", &["back"]),
    ("go back", &["back"]),
    ("назад", &["back"]),
    ("повернись назад", &["back"]),
    ("forward", &["forward"]),
    ("вперед", &["forward"]),
    ("reload", &["reload"]),
    ("refresh the page", &["reload"]),
    ("онови", &["reload"]),
    ("оновити сторінку", &["reload"]),
    ("read", &["extract"]),
    ("read the page", &["extract"]),
    ("read Products", &["extract 33"]),
    ("прочитай", &["extract"]),
    ("прочитай сторінку", &["extract"]),
    ("прочитати «Products»", &["extract 33"]),
    ("hover Cart", &["hover 4"]),
    ("hover over Cart", &["hover 4"]),
    ("наведи на Про нас", &["hover 5"]),
    ("навести курсор на «Про нас»", &["hover 5"]),
    ("drag Cart to Products", &["drag 4 33"]),
    ("перетягни Cart на Products", &["drag 4 33"]),
    ("let me", &["need_user"]),
    ("let me log in", &["need_user"]),
    ("take over", &["need_user"]),
    ("дай мені", &["need_user"]),
    ("дай мені увійти", &["need_user"]),
    ("я сам", &["need_user"]),
    ("stop", &[]),
    ("стоп", &[]),
    ("click Cart then stop then click Home", &["click 4"]),
    // Several.
    ("open example.com then click Sign in", &["navigate https://example.com", "click 23"]),
    ("open example.com, then click Sign in", &["navigate https://example.com", "click 23"]),
    ("open example.com and then click Sign in", &["navigate https://example.com", "click 23"]),
    ("open example.com; click Sign in", &["navigate https://example.com", "click 23"]),
    ("open example.com;click Sign in", &["navigate https://example.com", "click 23"]),
    (
        "open example.com\nclick Sign in\n\npress Enter",
        &["navigate https://example.com", "click 23", "press Enter"],
    ),
    ("1. open example.com\n2. click Sign in", &["navigate https://example.com", "click 23"]),
    ("- open example.com\n- click Sign in", &["navigate https://example.com", "click 23"]),
    ("type olena into Login and press Enter", &["type 10 \"olena\"", "press Enter"]),
    (
        "type olena into Login, type secret into Password, click Sign in",
        &["type 10 \"olena\"", "type 11 \"secret\"", "click 23"],
    ),
    ("Click Cart. Click Sign in.", &["click 4", "click 23"]),
    ("відкрий example.com потім натисни Увійти", &["navigate https://example.com", "click 24"]),
    ("відкрий example.com, а потім натисни Увійти", &["navigate https://example.com", "click 24"]),
    ("відкрий example.com далі натисни Увійти", &["navigate https://example.com", "click 24"]),
    (
        "введи olena у поле Логін, потім натисни «Увійти»; прокрути вниз",
        &["type 12 \"olena\"", "click 24", "scroll down 1"],
    ),
    ("введи olena у Логін і натисни Увійти", &["type 12 \"olena\"", "click 24"]),
    ("click \"Cut and paste\" then click Cart", &["click 28", "click 4"]),
    ("click \"Cut and paste\", click \"Sign in\", open Cart", &["click 28", "click 23", "click 4"]),
    ("натисни «Cut and paste», відкрий «Cart».", &["click 28", "click 4"]),
];

#[test]
fn orders_become_actions() {
    let shop = page(SHOP);
    let mut wrong = Vec::new();
    for (message, expected) in ORDERS {
        let got = Talk::new(message).run(&shop);
        if got != *expected {
            wrong.push(format!("{message:?}\n  expected {expected:?}\n  got      {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} orders:\n{}", wrong.len(), ORDERS.len(), wrong.join("\n"));
}
