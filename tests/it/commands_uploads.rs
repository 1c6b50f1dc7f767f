//! Orders that give a file of the run to the page, in both languages.

use crate::commands_page::{Talk, page};
use askfirst::turn::TurnStatus;

const FORM: &str = r#"
- textbox "Name" [1]
- file "Photo" [2]
- file "Фото паспорта" [3]
- button "Choose a file" [4]
- button "Send" [5]
"#;

const ONE_FIELD: &str = r#"
- file "Photo" [2]
- button "Send" [5]
"#;

const FILES: &[&str] = &["report.pdf", "звіт за 2026.docx", "Notes in English.txt", "a.png", "b.png"];

fn talk(message: &str, files: &[&str]) -> Talk {
    Talk { files: files.iter().map(|name| (*name).to_owned()).collect(), ..Talk::new(message) }
}

#[test]
fn a_named_file_goes_to_the_named_field() {
    for (order, expected) in [
        ("upload report.pdf to Photo", "upload 2 report.pdf"),
        ("Upload REPORT.PDF to the Photo field.", "upload 2 report.pdf"),
        ("upload report to Photo", "upload 2 report.pdf"),
        ("attach the file report.pdf to “Photo”", "upload 2 report.pdf"),
        ("attach \"Notes in English.txt\" to Photo", "upload 2 Notes in English.txt"),
        ("upload Notes in English.txt to Photo", "upload 2 Notes in English.txt"),
        ("upload report.pdf to Choose a file", "upload 4 report.pdf"),
        ("upload a.png and b.png to Photo", "upload 2 a.png|b.png"),
        ("upload \"a.png\", \"b.png\" to Photo", "upload 2 a.png|b.png"),
        ("завантаж report.pdf у поле Photo", "upload 2 report.pdf"),
        ("завантаж звіт за 2026.docx у поле «Фото паспорта»", "upload 3 звіт за 2026.docx"),
        ("завантажити файл «звіт за 2026.docx» до Фото паспорта", "upload 3 звіт за 2026.docx"),
        ("прикріпи report.pdf до Photo", "upload 2 report.pdf"),
        ("прикріпіть у поле Photo report.pdf, будь ласка", "upload 2 report.pdf"),
        ("додай файл a.png у Photo", "upload 2 a.png"),
        ("завантаж a.png та b.png у Photo", "upload 2 a.png|b.png"),
    ] {
        assert_eq!(talk(order, FILES).run(&page(FORM)), [expected], "{order}");
    }
}

#[test]
fn without_a_name_the_only_file_and_the_only_field_are_meant() {
    for (order, form) in [
        ("upload the file to Photo", FORM),
        ("upload it to Photo", FORM),
        ("upload to Photo", FORM),
        ("attach the file", ONE_FIELD),
        ("upload report.pdf", ONE_FIELD),
        ("прикріпи файл у поле Photo", FORM),
        ("завантаж його у поле Photo", FORM),
        ("завантаж у Photo", FORM),
        ("прикріпи", ONE_FIELD),
    ] {
        assert_eq!(talk(order, &["report.pdf"]).run(&page(form)), ["upload 2 report.pdf"], "{order}");
    }
}

#[test]
fn orders_around_an_upload_are_done_too() {
    let mut talk = talk("type Olena into Name then upload report.pdf to Photo, click Send", FILES);
    assert_eq!(talk.run(&page(FORM)), ["type 1 \"Olena\"", "upload 2 report.pdf", "click 5"]);
}

#[test]
fn a_page_is_still_opened_by_the_same_word() {
    for order in ["завантаж сторінку example.com", "завантаж https://example.com"] {
        assert_eq!(talk(order, FILES).run(&page(FORM)), ["navigate https://example.com"], "{order}");
    }
}

#[test]
fn a_missing_file_or_field_of_an_upload_is_named() {
    for (order, files, form, expected) in [
        (
            "upload rapport.pdf to Photo",
            FILES,
            FORM,
            "there is no file “rapport.pdf” here; there is “report.pdf”, ",
        ),
        ("завантаж звит.docx у Photo", &["звіт.docx"], FORM, "файла «звит.docx» тут немає; є «звіт.docx»"),
        ("upload cv.pdf to Photo", &[], FORM, "attach it with the paper clip"),
        ("upload the file to Photo", &["a.png", "b.png"], FORM, "which file: there is “a.png”, “b.png”"),
        ("прикріпи файл у Photo", &[], FORM, "файлів тут ще немає"),
        ("upload report.pdf", FILES, FORM, "which field: there is “Photo”, “Фото паспорта”"),
        ("upload report.pdf", FILES, "- button \"Send\" [5]", "the page has no field for files"),
        ("upload report.pdf to Passport", FILES, FORM, "there is no “Passport” on the page"),
    ] {
        let mut talk = talk(order, files);
        let form = page(form);
        while !talk.turn(Some(&form)).stop {
            let did = talk.step(&form, askfirst::planning::ActionStatus::Ok);
            assert!(did.starts_with("wait"), "{order}: {did}");
        }
        let turn = talk.turn(Some(&form));
        let answer = turn.response.unwrap();
        assert_eq!(turn.status, TurnStatus::Error, "{order}");
        assert!(answer.contains(expected), "{order}: {answer}");
    }
    let answer = talk("upload report.pdf to Photo", FILES).turn(None).response.unwrap();
    assert!(answer.contains("no page is open yet"), "{answer}");
}

#[test]
fn an_attached_pdf_is_read_without_a_page() {
    for (order, files) in [
        ("read prices.pdf", ["prices.pdf", "a.png"].as_slice()),
        ("read Prices.PDF", &["prices.pdf", "other.pdf"]),
        ("прочитай prices.pdf", &["prices.pdf"]),
        ("read the attached file", &["prices.pdf", "a.png"]),
        ("прочитай вкладений файл", &["prices.pdf"]),
    ] {
        let turn = talk(order, files).turn(None);
        let call = turn.actions.first().unwrap_or_else(|| panic!("{order}: {turn:?}"));
        assert_eq!(
            (call.action.as_str(), &call.params["file"]),
            ("extract", &"prices.pdf".into()),
            "{order}"
        );
    }
    // With two files, nobody knows which is meant.
    let turn = talk("read the attached file", &["prices.pdf", "other.pdf"]).turn(None);
    assert!(turn.actions.iter().all(|call| call.action != "extract"), "{turn:?}");
}
