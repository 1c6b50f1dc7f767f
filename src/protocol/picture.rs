//! Binary frames with pictures of the page (`docs/protocol.md`): a header of 24 bytes, little endian,
//! followed by the picture.

/// Length of the header in bytes.
pub const HEADER: usize = 24;

/// Fields of the header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Number of the picture, from 1; `frame_ack` refers to it.
    pub frame: u32,
    /// Time of capture, in Unix milliseconds.
    pub captured_at: f64,
    /// Width of the page's viewport in CSS pixels.
    pub width: u16,
    pub height: u16,
    /// Tag of the `view` frame that requested the picture; 0 if it had none.
    pub tag: u32,
}

/// Encodes a JPEG as a binary frame.
pub fn encode_frame(header: Header, jpeg: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER + jpeg.len());
    frame.push(1); // version
    frame.push(1); // codec: JPEG
    frame.extend_from_slice(&(HEADER as u16).to_le_bytes());
    frame.extend_from_slice(&header.frame.to_le_bytes());
    frame.extend_from_slice(&header.captured_at.to_le_bytes());
    frame.extend_from_slice(&header.width.to_le_bytes());
    frame.extend_from_slice(&header.height.to_le_bytes());
    frame.extend_from_slice(&header.tag.to_le_bytes());
    frame.extend_from_slice(jpeg);
    frame
}

/// Returns the number of the picture in a binary frame; `None` if it has no header.
pub fn frame_number(frame: &[u8]) -> Option<u32> {
    let number = frame.get(4..8).filter(|_| frame.len() >= HEADER)?;
    Some(u32::from_le_bytes(number.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The layout of docs/protocol.md.
    #[test]
    fn picture_frame_has_the_documented_layout() {
        let header = Header { frame: 7, captured_at: 1.5, width: 1280, height: 720, tag: 9 };
        let frame = encode_frame(header, b"jpeg");
        assert_eq!(frame.len(), HEADER + 4);
        assert_eq!(&frame[..4], &[1, 1, 24, 0]);
        assert_eq!(frame[4..8], 7u32.to_le_bytes());
        assert_eq!(frame[8..16], 1.5f64.to_le_bytes());
        assert_eq!(frame[16..20], [0, 5, 208, 2]);
        assert_eq!(frame[20..24], 9u32.to_le_bytes());
        assert_eq!(&frame[24..], b"jpeg");
        assert_eq!((frame_number(&frame), frame_number(&frame[..23])), (Some(7), None));
    }
}
