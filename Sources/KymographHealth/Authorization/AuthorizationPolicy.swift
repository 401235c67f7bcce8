// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kernels

/// A policy file: the person's decisions outside of the store. `Docs/Guide/Privacy.md` describes it.
///
/// A file that cannot be used denies everything, and has the reason.
struct AuthorizationPolicy: Sendable, Hashable {
    /// The rules of one client.
    private struct Rules: Sendable, Hashable {
        var share: Set<String> = []
        var read: Set<String> = []
        var readFrom: Date?
        var neverShare: Set<String> = []
        var neverRead: Set<String> = []
    }

    private var clients: [String: Rules] = [:]
    /// The answer about types that the file does not name; nil to ask.
    private var fallback: Bool?
    /// The reason why the file denies everything; nil for a usable file.
    private(set) var fault: String?
    /// A number that changes with the file's content.
    private(set) var version: Int64

    /// The name of the file in the directory of a store.
    static let name = "authorization.json"
    private static let mostBytes = 4 << 20

    /// Returns the path of the policy for a store: `KYMO_POLICY`, else the file in its directory.
    static func path(_ directory: String) -> String { named ?? directory + "/" + name }

    /// The file that the environment names; nil if it names none.
    private static var named: String? { Environment.value("KYMO_POLICY").flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the policy of a file; nil if there is no file. A file that the environment names must be there.
    static func find(_ path: String, _ mark: FileMark?, isNamed: Bool = named != nil) -> AuthorizationPolicy? {
        if mark == nil, !isNamed { return nil }
        return AuthorizationPolicy(path: path, isWritableByOthers: mark?.isWritableByOthers ?? false)
    }

    /// Reads a file.
    init(path: String, isWritableByOthers: Bool) {
        do throws(PolicyFault) {
            let text = try Self.text(path)
            self.init(text)
            if isWritableByOthers {
                throw PolicyFault("others may write the file; run chmod go-w on it, and let your account own it")
            }
            if let fault { throw PolicyFault(fault) }
        } catch {
            self = AuthorizationPolicy(fault: "\(path): \(error.reason)", version: 1)
        }
    }

    private init(fault: String, version: Int64) {
        self.fault = fault
        self.version = version
    }

    /// Parses the text of a file.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        version = Int64(Kernel.crc32c(bytes, 0..<bytes.count)) &+ 2
        do throws(PolicyFault) { try parse(text) } catch {
            self = AuthorizationPolicy(fault: error.reason, version: version)
        }
    }

    private static func text(_ path: String) throws(PolicyFault) -> String {
        do {
            let reader = try FileReader(path)
            var bytes = [UInt8]()
            let count = try reader.read(into: &bytes, count: mostBytes + 1)
            if count > mostBytes { throw PolicyFault("the file has more than \(mostBytes) bytes") }
            guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
                throw PolicyFault("the file is not UTF-8 text")
            }
            return text
        } catch {
            throw error as? PolicyFault ?? PolicyFault("\(error)")
        }
    }

    // MARK: - Answers

    /// Returns whether a client may save objects of a type; nil if the file does not decide.
    func share(_ type: String, _ client: String) -> Bool? {
        if fault != nil { return false }
        guard let rules = clients[client] else { return fallback }
        if Self.names(rules.neverShare, type) { return false }
        return Self.names(rules.share, type) ? true : fallback
    }

    /// Returns what a client may read of a type; nil if the file does not decide.
    func read(_ type: String, _ client: String) -> ReadScope? {
        if fault != nil { return .own }
        let rules = clients[client]
        if let rules {
            if Self.names(rules.neverRead, type) { return .own }
            if Self.names(rules.read, type) { return rules.readFrom.map { .since($0) } ?? .all }
        }
        return fallback.map { $0 ? rules?.readFrom.map { .since($0) } ?? .all : .own }
    }

    private static func names(_ types: Set<String>, _ type: String) -> Bool {
        types.contains(type) || types.contains("*")
    }

    // MARK: - The text

    private mutating func parse(_ text: String) throws(PolicyFault) {
        let top: Any
        do {
            top = try JSONSerialization.jsonObject(with: Data(text.utf8))
        } catch {
            let details = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw PolicyFault("the file is not JSON: \(details ?? "\(error)")")
        }
        let file = try Self.object(top, "the file", ["clients", "default"], text)
        switch file["default"] as? String ?? "ask" {
        case "ask" where file["default"] == nil || file["default"] is String: fallback = nil
        case "allow": fallback = true
        case "deny": fallback = false
        default: throw PolicyFault("default is not \"ask\", \"allow\" or \"deny\"", at: "\"default\"", in: text)
        }
        for (client, value) in try Self.object(file["clients"] ?? [String: Any](), "clients", nil, text) {
            clients[client] = try Self.rules(client, value, text)
        }
    }

    private static func rules(_ client: String, _ value: Any, _ text: String) throws(PolicyFault) -> Rules {
        let part = try object(value, "client \(client)", ["share", "read", "readFrom", "deny"], text)
        let deny = try object(part["deny"] ?? [String: Any](), "deny of client \(client)", ["share", "read"], text)
        var rules = Rules()
        rules.share = try types(part["share"], client, text)
        rules.read = try types(part["read"], client, text)
        rules.neverShare = try types(deny["share"], client, text)
        rules.neverRead = try types(deny["read"], client, text)
        guard let day = part["readFrom"] else { return rules }
        guard let name = day as? String, let date = date(name) else {
            throw PolicyFault(
                "readFrom of client \(client) is not a date such as 2026-01-31", at: "\"readFrom\"", in: text)
        }
        rules.readFrom = date
        return rules
    }

    private static func types(_ value: Any?, _ client: String, _ text: String) throws(PolicyFault) -> Set<String> {
        guard let value else { return [] }
        guard let names = value as? [String] else {
            throw PolicyFault("a list of client \(client) is not a list of types", at: "\"\(client)\"", in: text)
        }
        for name in names where name != "*" && !HKObjectType.type(for: name).isKnown {
            throw PolicyFault("the type \(name) is unknown", at: "\"\(name)\"", in: text)
        }
        return Set(names)
    }

    /// Returns the start of a day in the current time zone, or an instant.
    private static func date(_ text: String) -> Date? {
        if let instant = try? Date(text, strategy: .iso8601) { return instant }
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1...9_999).contains(year)
        else { return nil }
        let parts = DateComponents(
            calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day)
        return parts.isValidDate ? parts.date : nil
    }

    /// Returns an object of the file with no other keys than the known ones; nil for any keys.
    private static func object(
        _ value: Any, _ what: String, _ keys: Set<String>?, _ text: String
    ) throws(PolicyFault) -> [String: Any] {
        guard let object = value as? [String: Any] else { throw PolicyFault("\(what) is not an object in braces") }
        if let keys, let other = object.keys.filter({ !keys.contains($0) }).min() {
            throw PolicyFault("\(what) has the unknown key \(other)", at: "\"\(other)\"", in: text)
        }
        return object
    }
}

/// The reason why a policy file cannot be used.
struct PolicyFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// Creates a fault with the line of a text in the file.
    init(_ reason: String, at part: String, in text: String) {
        guard let range = text.range(of: part) else {
            self.init(reason)
            return
        }
        let line = 1 + text[..<range.lowerBound].reduce(0) { $0 + ($1.isNewline ? 1 : 0) }
        self.init("line \(line): \(reason)")
    }
}
