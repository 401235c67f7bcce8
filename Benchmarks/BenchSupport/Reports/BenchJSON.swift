// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// JSON files of other programs: decoded, or rejected with the file name and a reason.
enum BenchJSON {
    /// Reads and decodes a file.
    /// - Parameters:
    /// - what: the expected content: `report of kymo-bench`.
    /// - hint: the advice in errors: `write one with --json`.
    /// - Throws: `BenchError`.
    static func read<T: Decodable>(_ path: String, limit: Int = 1 << 24, _ what: String, hint: String) throws -> T {
        let bytes: [UInt8]
        do {
            bytes = try RealDisk().contents(of: path, limit: limit)
        } catch {
            throw BenchError("\(path) cannot be read (\(error)); \(hint)")
        }
        return try decode(Data(bytes), "\(path) is not a \(what)", hint: hint)
    }

    /// Decodes data in memory.
    ///
    /// - Parameter complaint: the beginning of the error: `FILE is not a report`.
    static func decode<T: Decodable>(_ data: Data, _ complaint: String, hint: String) throws -> T {
        if data.isEmpty { throw BenchError("\(complaint) (it is empty); \(hint)") }
        do {
            return try JSONDecoder().decode(T.self, from: data)
        } catch {
            throw BenchError("\(complaint) (\(reason(error))); \(hint)")
        }
    }

    /// Returns a short reason for a decoding error.
    private static func reason(_ error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "" : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            let at = place(context.codingPath)
            return at.isEmpty ? "it has no \"\(key.stringValue)\"" : "\(at) has no \"\(key.stringValue)\""
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            let at = place(context.codingPath)
            return at.isEmpty ? context.debugDescription : "\(at): \(context.debugDescription)"
        case .dataCorrupted(let context):
            let at = place(context.codingPath)
            return at.isEmpty ? "it is not JSON" : "\(at): \(context.debugDescription)"
        default: return "\(error)"
        }
    }
}
