// SPDX-License-Identifier: Apache-2.0

import CKymograph

/// A column of a stream that a test makes byte by byte.
struct HandMadeColumn {
    var name: String
    var format: String
    var length: Int64
    var nulls: Int64 = 0
    var offset: Int64 = 0
    /// The buffers; nil is a missing one.
    var buffers: [[UInt8]?]
    /// The texts of a dictionary: format, buffers and their number.
    var dictionary: (format: String, buffers: [[UInt8]?], length: Int64)?
    var dictionaryOffset: Int64 = 0

    /// A column of numbers.
    init<T: BitwiseCopyable>(_ name: String, _ format: String, _ numbers: [T]) {
        self.name = name
        self.format = format
        length = Int64(numbers.count)
        buffers = [nil, Self.bytes(numbers)]
    }

    /// A column of texts; nil is null.
    init(_ name: String, texts: [String?], format: String = "u") {
        self.name = name
        self.format = format
        length = Int64(texts.count)
        nulls = Int64(texts.count { $0 == nil })
        var bits = [UInt8](repeating: 0, count: texts.count / 8 + 1)
        for (row, text) in texts.enumerated() where text != nil { bits[row / 8] |= 1 << UInt8(row % 8) }
        buffers = [nulls > 0 ? bits : nil] + Self.texts(texts.map { $0 ?? "" }, format)
    }

    /// A column of numbers into a list of texts.
    init<T: FixedWidthInteger & BitwiseCopyable>(_ name: String, _ format: String, _ codes: [T], into list: [String]) {
        self.init(name, format, codes)
        dictionary = ("u", [nil] + Self.texts(list, "u"), Int64(list.count))
    }

    static func bytes<T: BitwiseCopyable>(_ numbers: [T]) -> [UInt8] {
        unsafe numbers.withUnsafeBytes { unsafe Array($0) }
    }

    private static func texts(_ texts: [String], _ format: String) -> [[UInt8]?] {
        let bytes = texts.flatMap { Array($0.utf8) }
        if format == "vu" {
            // A view has the length, then a short text itself, or four bytes of it, a buffer and an offset.
            var views = [UInt8]()
            var at = 0
            for text in texts {
                let own = Array(text.utf8)
                views += Self.bytes([Int32(own.count)])
                if own.count <= 12 {
                    views += own + [UInt8](repeating: 0, count: 12 - own.count)
                } else {
                    views += own.prefix(4) + Self.bytes([Int32(0), Int32(at)])
                }
                at += own.count
            }
            return [views, bytes, Self.bytes([Int64(bytes.count)])]
        }
        var ends = [Int64(0)]
        for text in texts { ends.append(ends[ends.count - 1] + Int64(text.utf8.count)) }
        return [format == "U" ? Self.bytes(ends) : Self.bytes(ends.map { Int32($0) }), bytes]
    }
}

/// A stream of one batch, made byte by byte. It counts what is released, and keeps its memory.
@safe
final class HandMadeStream {
    private let columns: [HandMadeColumn]
    /// Whether the batch was handed out.
    private(set) var isGiven = false
    private(set) var released = 0
    /// The error of the pull after the batch.
    var failure: Int32 = 0
    /// Changes the batch before it is handed out.
    var change: (inout ArrowArray) -> Void = { _ in }
    private var memory: [UnsafeMutableRawPointer] = []

    init(_ columns: [HandMadeColumn]) { unsafe self.columns = columns }

    deinit { unsafe memory.forEach { unsafe $0.deallocate() } }

    private func keep<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, values.count * MemoryLayout<T>.stride), alignment: 16)
        unsafe memory.append(raw)
        let typed = unsafe raw.bindMemory(to: T.self, capacity: max(1, values.count))
        for (i, value) in values.enumerated() { unsafe (typed + i).initialize(to: value) }
        return unsafe typed
    }

    private func text(_ text: String) -> UnsafePointer<CChar> { unsafe UnsafePointer(keep(Array(text.utf8CString))) }

    /// The stream as a struct.
    func stream() -> CStream {
        let result = CStream()
        unsafe result.stream.pointee = ArrowArrayStream(
            get_schema: { stream, out in
                unsafe out!.pointee = HandMadeStream.of(stream).schema()
                return 0
            },
            get_next: { stream, out in unsafe HandMadeStream.of(stream).next(out!) },
            get_last_error: { stream in unsafe HandMadeStream.of(stream).text("the source failed") },
            release: { stream in
                unsafe HandMadeStream.of(stream).released += 1
                unsafe stream!.pointee.release = nil
            },
            private_data: Unmanaged.passUnretained(self).toOpaque())
        return result
    }

    private static func of(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> HandMadeStream {
        unsafe Unmanaged<HandMadeStream>.fromOpaque(stream!.pointee.private_data).takeUnretainedValue()
    }

    private func schema() -> ArrowSchema {
        let children = unsafe columns.map { column in
            unsafe keep([
                schema(
                    column.format, column.name, [],
                    column.dictionary.map { unsafe keep([schema($0.format, "", [], nil)]) })
            ])
        }
        return unsafe schema("+s", "", children.map { unsafe Optional($0) }, nil)
    }

    private func schema(
        _ format: String, _ name: String, _ children: [UnsafeMutablePointer<ArrowSchema>?],
        _ dictionary: UnsafeMutablePointer<ArrowSchema>?
    ) -> ArrowSchema {
        unsafe ArrowSchema(
            format: text(format), name: text(name), metadata: nil, flags: 2, n_children: Int64(children.count),
            children: keep(children), dictionary: dictionary, release: { unsafe $0!.pointee.release = nil },
            private_data: nil)
    }

    private func next(_ out: UnsafeMutablePointer<ArrowArray>) -> Int32 {
        if isGiven {
            unsafe out.pointee.release = nil
            return failure
        }
        isGiven = true
        let children = unsafe columns.map { column in
            var array = unsafe array(column.length, column.nulls, column.buffers)
            unsafe array.offset = column.offset
            if let texts = column.dictionary {
                var list = unsafe self.array(texts.length, 0, texts.buffers)
                unsafe list.offset = column.dictionaryOffset
                unsafe array.dictionary = keep([list])
            }
            return unsafe UnsafeMutablePointer<ArrowArray>?(keep([array]))
        }
        unsafe out.pointee = ArrowArray(
            length: columns.first.map { $0.length - $0.offset } ?? 0, null_count: 0, offset: 0, n_buffers: 1,
            n_children: Int64(children.count), buffers: keep([UnsafeRawPointer?.none]), children: keep(children),
            dictionary: nil,
            release: { array in
                let source = unsafe Unmanaged<HandMadeStream>.fromOpaque(array!.pointee.private_data)
                unsafe source.takeUnretainedValue().released += 1
                unsafe array!.pointee.release = nil
            }, private_data: Unmanaged.passUnretained(self).toOpaque())
        unsafe change(&out.pointee)
        return 0
    }

    private func array(_ length: Int64, _ nulls: Int64, _ buffers: [[UInt8]?]) -> ArrowArray {
        let pointers = unsafe buffers.map { bytes in unsafe bytes.map { unsafe UnsafeRawPointer(keep($0)) } }
        return unsafe ArrowArray(
            length: length, null_count: nulls, offset: 0, n_buffers: Int64(buffers.count), n_children: 0,
            buffers: keep(pointers), children: nil, dictionary: nil, release: { unsafe $0!.pointee.release = nil },
            private_data: nil)
    }
}
