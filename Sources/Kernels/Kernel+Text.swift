// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// Searches in UTF-8 text. The ranges must lie inside the text.
extension Kernel {
    /// Returns the first place of a range with a control character other than tab, line feed and carriage return, or
    /// with a byte that does not begin a whole character of well-formed UTF-8; or the end of the range.
    package static func findIrregular(_ text: Span<UInt8>, _ range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= text.count, "range outside of the text")
        return unsafe text.withUnsafeBufferPointer {
            unsafe ck_find_irregular($0.baseAddress, range.lowerBound, range.upperBound)
        }
    }

    /// Returns the number of line feeds in a range.
    package static func countLines(_ text: Span<UInt8>, _ range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= text.count, "range outside of the text")
        return unsafe text.withUnsafeBufferPointer {
            unsafe ck_count_lines($0.baseAddress, range.lowerBound, range.upperBound)
        }
    }

    /// Returns the first place of a range with a byte, or the end of the range; and whether an `&` or a `<` precedes
    /// it.
    package static func findQuote(
        _ quote: UInt8, in text: Span<UInt8>, _ range: Range<Int>
    ) -> (at: Int, special: Bool) {
        precondition(range.lowerBound >= 0 && range.upperBound <= text.count, "range outside of the text")
        var special = false
        let at = unsafe text.withUnsafeBufferPointer {
            unsafe ck_find_quote($0.baseAddress, range.lowerBound, range.upperBound, quote, &special)
        }
        return (at, special)
    }
}

/// The bytes of columns in memory, for temporary files.
extension Kernel {
    /// Returns the bytes of numbers in memory.
    package static func bytes<Number: BitwiseCopyable>(of numbers: [Number]) -> [UInt8] {
        unsafe numbers.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Returns the numbers whose bytes `bytes(of:)` returned on this machine. Bytes of an incomplete last number are
    /// left out.
    package static func numbers<Number: BitwiseCopyable & ExpressibleByIntegerLiteral>(_ bytes: [UInt8]) -> [Number] {
        var numbers = [Number](repeating: 0, count: bytes.count / MemoryLayout<Number>.stride)
        unsafe numbers.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
        return numbers
    }
}
