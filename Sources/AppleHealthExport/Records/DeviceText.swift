// SPDX-License-Identifier: Apache-2.0

/// The description of a device in the text form of an export: `<<HKDevice: 0x282e3a260>, name:Apple Watch,
/// manufacturer:Apple, model:Watch, hardware:Watch4,2, software:5.1.1>`.
///
/// The number is the memory address of the object in the exporting process. It differs between exports of the same
/// device, so it is removed before devices are compared or stored.
package enum DeviceText {
    /// Returns the range of the address, such as `0x282e3a260`; nil if the text does not start with `<<HKDevice: 0x`
    /// and a hexadecimal number before `>`.
    package static func address(in text: Span<UInt8>) -> Range<Int>? {
        let prefix = "<<HKDevice: 0x".utf8Span.span
        guard text.count > prefix.count, ScanBytes.equal(text, 0, prefix, 0, prefix.count) else { return nil }
        var at = prefix.count
        while at < text.count, isHexadecimal(text[at]) { at += 1 }
        guard at > prefix.count, at < text.count, text[at] == 0x3E else { return nil }
        return prefix.count - 2..<at
    }

    /// Returns the range after the address in a text with unresolved references; nil if the text does not start like a
    /// device.
    static func escapedTail(of text: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        let prefix: StaticString = "&lt;&lt;HKDevice: 0x"
        guard ScanBytes.matches(text, range.lowerBound, range.upperBound, prefix) else { return nil }
        let first = range.lowerBound + prefix.utf8CodeUnitCount
        var at = first
        while at < range.upperBound, isHexadecimal(text[at]) { at += 1 }
        guard at > first, ScanBytes.matches(text, at, range.upperBound, "&gt;") else { return nil }
        return at..<range.upperBound
    }

    /// Returns the text without the address: `<<HKDevice: >, name:Apple Watch, ...`. Any other text is returned
    /// unchanged.
    package static func stripped(_ text: [UInt8]) -> [UInt8] {
        guard let address = address(in: text.span) else { return text }
        return Array(text[..<address.lowerBound]) + Array(text[address.upperBound...])
    }

    /// Returns the text without the address; see `stripped(_: [UInt8])`.
    package static func stripped(_ text: String) -> String {
        String(decoding: stripped(Array(text.utf8)), as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6
    }
}
