// SPDX-License-Identifier: Apache-2.0

package import CKymograph

/// An error of a caller's stream: a rule of the interface is broken, or a column does not fit.
package struct ArrowInputError: Error {
    package var message: String

    package init(_ message: String) { self.message = message }
}

/// The type of a column of a caller's stream.
package enum ArrowInputType: Hashable, Sendable {
    case integer(bytes: Int, isSigned: Bool)
    case float, double
    /// An instant since 1970-01-01 UTC, in units of some nanoseconds.
    case time(bytes: Int, nanoseconds: Int64)
    case text(ArrowTextLayout)
    /// Numbers of that many bytes, and a list of texts.
    indirect case dictionary(bytes: Int, isSigned: Bool, ArrowTextLayout)
    /// Any other type, by its format.
    case other(String)
}

/// How a column holds its texts.
package enum ArrowTextLayout: Hashable, Sendable {
    /// Offsets of 4 or 8 bytes into one buffer.
    case offsets(bytes: Int)
    /// Views of 16 bytes into several buffers.
    case views
}

/// A stream of a caller, read batch by batch. It is released at the end of this object's life.
@safe
package final class ArrowInput {
    private let stream: UnsafeMutablePointer<ArrowArrayStream>
    private var batches = 0
    /// The columns, in order.
    package let fields: [(name: String, type: ArrowInputType)]

    /// Takes the stream over, also if it throws: the caller's struct is marked as released.
    package init(taking source: UnsafeMutablePointer<ArrowArrayStream>) throws(ArrowInputError) {
        unsafe stream = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe stream.initialize(to: source.pointee)
        unsafe source.pointee.release = nil
        do throws(ArrowInputError) {
            guard unsafe stream.pointee.release != nil else {
                throw ArrowInputError("the input stream was released before; make a new one")
            }
            fields = try unsafe Self.fields(of: stream)
        } catch {
            unsafe Self.end(stream)
            throw error
        }
    }

    deinit { unsafe Self.end(stream) }

    private static func end(_ stream: UnsafeMutablePointer<ArrowArrayStream>) {
        if let release = unsafe stream.pointee.release { unsafe release(stream) }
        unsafe stream.deallocate()
    }

    private static func fields(
        of stream: UnsafeMutablePointer<ArrowArrayStream>
    ) throws(ArrowInputError) -> [(name: String, type: ArrowInputType)] {
        guard let read = unsafe stream.pointee.get_schema else {
            throw ArrowInputError("the input stream has no get_schema function")
        }
        var schema = unsafe ArrowSchema()
        let number = unsafe read(stream, &schema)
        guard number == 0 else { throw unsafe failure(stream, number) }
        defer { if let release = unsafe schema.release { unsafe release(&schema) } }
        guard unsafe schema.release != nil else {
            throw ArrowInputError("the input stream gave a schema that is released already")
        }
        guard unsafe text(schema.format) == "+s" else {
            throw ArrowInputError("the input stream must have columns (format +s), not \(unsafe text(schema.format))")
        }
        var fields = [(name: String, type: ArrowInputType)]()
        let count = unsafe schema.n_children
        guard count >= 0, count <= 4_096, unsafe count == 0 || schema.children != nil else {
            throw ArrowInputError("the input stream has \(count) columns; it may have at most 4096")
        }
        for i in 0..<Int(count) {
            guard let child = unsafe schema.children[i] else {
                throw ArrowInputError("column \(i) of the input stream has no schema")
            }
            let name = unsafe text(child.pointee.name)
            var type = unsafe type(text(child.pointee.format))
            if let values = unsafe child.pointee.dictionary {
                let content = unsafe ArrowInput.type(text(values.pointee.format))
                if case .integer(let bytes, let isSigned) = type, case .text(let layout) = content {
                    type = .dictionary(bytes: bytes, isSigned: isSigned, layout)
                } else {
                    type = .other("dictionary of \(unsafe text(values.pointee.format))")
                }
            }
            fields.append((name, type))
        }
        return fields
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(cString: pointer)
    }

    private static func type(_ format: String) -> ArrowInputType {
        switch format {
        case "c", "C": return .integer(bytes: 1, isSigned: format == "c")
        case "s", "S": return .integer(bytes: 2, isSigned: format == "s")
        case "i", "I": return .integer(bytes: 4, isSigned: format == "i")
        case "l", "L": return .integer(bytes: 8, isSigned: format == "l")
        case "f": return .float
        case "g": return .double
        case "u": return .text(.offsets(bytes: 4))
        case "U": return .text(.offsets(bytes: 8))
        case "vu": return .text(.views)
        case "tdD": return .time(bytes: 4, nanoseconds: 86_400_000_000_000)
        case "tdm": return .time(bytes: 8, nanoseconds: 1_000_000)
        default: break
        }
        // Timestamps are instants; the zone after the colon is only for display.
        for (start, unit) in [("tss:", 1_000_000_000), ("tsm:", 1_000_000), ("tsu:", 1_000), ("tsn:", 1)]
            as [(String, Int64)] where format.hasPrefix(start)
        { return .time(bytes: 8, nanoseconds: unit) }
        return .other(format)
    }

    private static func failure(
        _ stream: UnsafeMutablePointer<ArrowArrayStream>, _ number: Int32
    ) -> ArrowInputError {
        let reason = unsafe stream.pointee.get_last_error?(stream)
        let message = unsafe reason.map { unsafe String(cString: $0) } ?? "error \(number) of the system"
        return ArrowInputError("the input stream failed: \(message)")
    }

    /// Reads the next batch; nil after the last.
    package func next() throws(ArrowInputError) -> ArrowInputBatch? {
        guard let read = unsafe stream.pointee.get_next else {
            throw ArrowInputError("the input stream has no get_next function")
        }
        var array = unsafe ArrowArray()
        let number = unsafe read(stream, &array)
        guard number == 0 else { throw unsafe Self.failure(stream, number) }
        if unsafe array.release == nil { return nil }
        batches += 1
        return try unsafe ArrowInputBatch(taking: array, fields, number: batches)
    }
}
