//! Small PDFs for tests.

/// Page of a test PDF.
pub enum PdfPage<'a> {
    /// Lines of text in Helvetica.
    Text(&'a [&'a str]),
    /// A picture without text: dark in the upper half.
    Scan,
}

/// Writes a PDF with these pages; `extra` are further entries of the trailer.
pub fn write_pdf(pages: &[PdfPage<'_>], extra: &str) -> Vec<u8> {
    let mut objects = vec![
        String::from("<< /Type /Catalog /Pages 2 0 R >>"),
        String::new(),
        String::from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
        format!(
            "<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 \
             /Filter /ASCIIHexDecode /Length 9 >>\nstream\n1010F0F0>\nendstream"
        ),
    ];
    let mut kids = String::new();
    for page in pages {
        let number = objects.len() + 1;
        kids.push_str(&format!("{number} 0 R "));
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> /XObject << /I1 4 0 R >> >> >>",
            number + 1
        ));
        let content = write_content(page);
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len());
    assemble(&objects, extra)
}

fn write_content(page: &PdfPage<'_>) -> String {
    match page {
        PdfPage::Text(lines) => {
            let lines = lines.iter().enumerate().map(|(index, line)| {
                let line = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
                format!("BT /F1 14 Tf 72 {} Td ({line}) Tj ET\n", 700 - 20 * index)
            });
            lines.collect()
        }
        PdfPage::Scan => String::from("612 0 0 792 0 0 cm /I1 Do"),
    }
}

fn assemble(objects: &[String], extra: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = String::new();
    for (index, object) in objects.iter().enumerate() {
        places.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n{places}").bytes());
    file.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {extra} >>\nstartxref\n{start}\n%%EOF\n").bytes(),
    );
    file
}

/// Writes a PDF with this text on each page.
pub fn text_pdf(pages: &[&[&str]]) -> Vec<u8> {
    let pages: Vec<PdfPage<'_>> = pages.iter().map(|lines| PdfPage::Text(lines)).collect();
    write_pdf(&pages, "")
}

/// Writes a PDF that asks for a password.
pub fn locked_pdf() -> Vec<u8> {
    let hash = "ab".repeat(32);
    let encryption = format!(
        "/ID [<0011> <0011>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{hash}> /U <{hash}> >>"
    );
    write_pdf(&[PdfPage::Text(&["hidden"])], &encryption)
}
