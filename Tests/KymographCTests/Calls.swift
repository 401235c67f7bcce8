// SPDX-License-Identifier: Apache-2.0

import CKymograph
import KymographC
import TestSupport
import Testing

/// The suites run one after another, since they count the batches that the library has handed out.
@Suite("E-19: the C interface", .serialized)
enum CInterface {}

/// An error of the C interface, as a test compares it.
struct CallError: Error, Equatable {
    var kind: kymo_kind
    var message: String
}

/// Calls a function, and throws its error.
func call(_ body: (UnsafeMutablePointer<OpaquePointer?>) -> kymo_kind) throws(CallError) {
    var error: OpaquePointer?
    let kind = unsafe body(&error)
    if kind == KYMO_OK { return }
    defer { unsafe kymo_error_free(error) }
    throw CallError(kind: unsafe kymo_error_kind(error), message: unsafe String(cString: kymo_error_message(error)))
}

/// A store of a test, through the C interface.
@safe
final class CStore {
    let directory: TemporaryDirectory
    var handle: OpaquePointer?

    init(_ directory: TemporaryDirectory? = nil, mode: Int = KYMO_WRITE | KYMO_CREATE) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        var options = unsafe kymo_open_options()
        unsafe options.size = MemoryLayout<kymo_open_options>.size
        unsafe options.mode = UInt32(mode)
        unsafe options.threads = 2
        var handle: OpaquePointer?
        try unsafe call { error in unsafe kymo_store_open(directory.file("store"), &options, &handle, error) }
        unsafe self.handle = handle
    }

    deinit { unsafe kymo_store_close(handle) }

    func close() {
        unsafe kymo_store_close(handle)
    }

    func series(_ name: String, _ kind: Int = KYMO_DISCRETE) throws -> Int64 {
        var number: Int64 = 0
        try unsafe call { error in unsafe kymo_series_make(handle, name, nil, Int32(kind), &number, error) }
        return number
    }

    func append(_ series: Int64, _ starts: [Int64], _ ends: [Int64]? = nil, _ values: [Double]) throws {
        try unsafe call { error in
            if let ends { return unsafe kymo_append(handle, series, starts, ends, values, starts.count, nil, error) }
            return unsafe kymo_append(handle, series, starts, nil, values, starts.count, nil, error)
        }
    }

    func delete(_ series: Int64, _ start: Int64, _ end: Int64) throws -> Int64 {
        var count: Int64 = 0
        try unsafe call { error in unsafe kymo_delete(handle, series, start, end, &count, nil, error) }
        return count
    }

    func snapshot() throws -> CSnapshot {
        var snapshot: OpaquePointer?
        try unsafe call { error in unsafe kymo_store_snapshot(handle, -1, &snapshot, error) }
        return unsafe CSnapshot(snapshot)
    }
}

/// A snapshot, through the C interface.
@safe
final class CSnapshot {
    let handle: OpaquePointer?

    init(_ handle: OpaquePointer?) { unsafe self.handle = handle }

    deinit { unsafe kymo_snapshot_free(handle) }

    /// Scans some series, all if there are none. `change` sets the other fields of the request.
    func scan(
        _ series: [Int64] = [], _ change: (inout kymo_scan_request) -> Void = { _ in }
    ) throws -> CStream {
        var request = unsafe kymo_scan_request()
        unsafe request.size = MemoryLayout<kymo_scan_request>.size
        unsafe change(&request)
        let stream = CStream()
        try unsafe series.withUnsafeBufferPointer { numbers in
            unsafe request.series = series.isEmpty ? nil : numbers.baseAddress
            unsafe request.series_count = series.count
            try unsafe call { error in unsafe kymo_scan(handle, &request, stream.stream, error) }
        }
        return stream
    }

    func buckets(_ series: [Int64], _ change: (inout kymo_bucket_request) -> Void) throws -> CStream {
        var request = unsafe kymo_bucket_request()
        unsafe request.size = MemoryLayout<kymo_bucket_request>.size
        unsafe request.count = 1
        unsafe change(&request)
        let stream = CStream()
        try unsafe series.withUnsafeBufferPointer { numbers in
            unsafe request.series = series.isEmpty ? nil : numbers.baseAddress
            unsafe request.series_count = series.count
            try unsafe call { error in unsafe kymo_buckets(handle, &request, stream.stream, error) }
        }
        return stream
    }
}

/// A column of a stream that was read to its end; nil is null.
enum CColumn: Equatable {
    case integers([Int64?])
    case doubles([Double?])
    case texts([String?])
}

/// A stream that a test reads.
@safe
final class CStream {
    let stream = unsafe kymo_stream_alloc()!

    deinit { unsafe kymo_stream_free(stream) }

    /// Names and formats of the columns.
    func schema() -> [String] {
        var schema = unsafe ArrowSchema()
        guard unsafe stream.pointee.get_schema(stream, &schema) == 0 else { return [] }
        defer { unsafe schema.release(&schema) }
        return (0..<Int(unsafe schema.n_children)).map { i in
            let child = unsafe schema.children[i]!.pointee
            return unsafe "\(String(cString: child.name)) \(String(cString: child.format))"
        }
    }

    /// Reads all batches.
    func read() throws -> (columns: [String: CColumn], batches: [Int]) {
        let fields = schema().map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        var columns = [String: CColumn]()
        var batches = [Int]()
        while true {
            var array = unsafe ArrowArray()
            let number = unsafe stream.pointee.get_next(stream, &array)
            if number != 0 {
                throw CallError(
                    kind: KYMO_OTHER, message: unsafe String(cString: stream.pointee.get_last_error(stream)!))
            }
            guard let release = unsafe array.release else { break }
            batches.append(Int(unsafe array.length))
            for (i, field) in fields.enumerated() {
                let child = unsafe array.children[i]!.pointee
                let rows = unsafe Self.column(child, field[1])
                columns[field[0]] = Self.joined(columns[field[0]], rows)
            }
            unsafe release(&array)
        }
        return (columns, batches)
    }

    private static func joined(_ first: CColumn?, _ second: CColumn) -> CColumn {
        switch (first, second) {
        case (.integers(let a), .integers(let b)): .integers(a + b)
        case (.doubles(let a), .doubles(let b)): .doubles(a + b)
        case (.texts(let a), .texts(let b)): .texts(a + b)
        default: second
        }
    }

    private static func column(_ array: ArrowArray, _ format: String) -> CColumn {
        let rows = Int(unsafe array.length)
        func isValid(_ row: Int) -> Bool {
            guard let bits = unsafe array.buffers[0] else { return true }
            return unsafe bits.load(fromByteOffset: row / 8, as: UInt8.self) >> UInt8(row % 8) & 1 == 1
        }
        if let dictionary = unsafe array.dictionary {
            guard case .texts(let texts) = unsafe column(dictionary.pointee, "u") else { return .texts([]) }
            return .texts(
                (0..<rows).map { row in
                    guard isValid(row) else { return nil }
                    let number = unsafe array.buffers[1]!.load(fromByteOffset: 4 * row, as: Int32.self)
                    return texts[Int(number)]
                })
        }
        switch format.prefix(1) {
        case "g":
            return .doubles(
                (0..<rows).map {
                    isValid($0) ? unsafe array.buffers[1]!.load(fromByteOffset: 8 * $0, as: Double.self) : nil
                })
        case "u":
            return .texts(
                (0..<rows).map { row in
                    guard isValid(row) else { return nil }
                    let from = unsafe Int(array.buffers[1]!.load(fromByteOffset: 4 * row, as: Int32.self))
                    let to = unsafe Int(array.buffers[1]!.load(fromByteOffset: 4 * row + 4, as: Int32.self))
                    let bytes = unsafe UnsafeRawBufferPointer(start: array.buffers[2]! + from, count: to - from)
                    return unsafe String(decoding: bytes, as: UTF8.self)
                })
        default:
            // Of an identity the first half.
            let width = format == "w:16" ? 16 : 8
            return .integers(
                (0..<rows).map {
                    isValid($0) ? unsafe array.buffers[1]!.load(fromByteOffset: width * $0, as: Int64.self) : nil
                })
        }
    }
}
