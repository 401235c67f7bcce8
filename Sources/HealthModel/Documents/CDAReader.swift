// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the title and the names of a CDA document, and checks its structure: the elements under `ClinicalDocument`
/// that HL7's schema requires, in the order of the schema. Other rules of the schema are not checked.
enum CDAReader {
    /// The reasons why bytes are no CDA document.
    struct Faults: Error {
        let reasons: [String]
    }

    private static let namespace = "urn:hl7-org:v3"
    /// The largest document in bytes.
    static let mostBytes = 64 << 20
    /// The longest title or name in bytes.
    private static let longest = 10_000

    /// The elements under `ClinicalDocument` in their order, and how often each must and may occur.
    private static let header: [(name: String, counts: ClosedRange<Int>)] = [
        ("realmCode", 0...Int.max), ("typeId", 1...1), ("templateId", 0...Int.max), ("id", 1...1), ("code", 1...1),
        ("title", 0...1), ("effectiveTime", 1...1), ("confidentialityCode", 1...1), ("languageCode", 0...1),
        ("setId", 0...1), ("versionNumber", 0...1), ("copyTime", 0...1), ("recordTarget", 1...Int.max),
        ("author", 1...Int.max), ("dataEnterer", 0...1), ("informant", 0...Int.max), ("custodian", 1...1),
        ("informationRecipient", 0...Int.max), ("legalAuthenticator", 0...1), ("authenticator", 0...Int.max),
        ("participant", 0...Int.max), ("inFulfillmentOf", 0...Int.max), ("documentationOf", 0...Int.max),
        ("relatedDocument", 0...Int.max), ("authorization", 0...Int.max), ("componentOf", 0...1), ("component", 1...1),
    ]

    private static let patient = ["recordTarget", "patientRole", "patient", "name"]
    private static let person = ["author", "assignedAuthor", "assignedPerson", "name"]
    private static let device = ["author", "assignedAuthor", "assignedAuthoringDevice", "softwareName"]
    private static let organization = ["author", "assignedAuthor", "representedOrganization", "name"]
    private static let custodian = ["custodian", "assignedCustodian", "representedCustodianOrganization", "name"]

    /// Returns the title and the names of a document.
    ///
    /// - Throws: the faults of bytes that are no CDA document.
    static func names(_ data: Data) throws(Faults) -> CDANames {
        guard data.count <= mostBytes else {
            throw Faults(reasons: ["the document has \(data.count) bytes, the limit is \(mostBytes)"])
        }
        let walk: Walk
        do throws(MarkupScanner.Fault) { walk = try Walk(reading: data) } catch {
            throw Faults(reasons: ["line \(error.line): \(error.reason)"])
        }
        if !walk.faults.isEmpty { throw Faults(reasons: walk.faults) }
        return walk.names
    }

    /// A walk over the elements of one document.
    private struct Walk {
        private var scanner: MarkupScanner
        /// The names of the open elements under `ClinicalDocument`; empty for elements of other namespaces.
        private var path: [String] = []
        private var prefix = ""
        private var counts: [Int]
        private var last = 0
        private(set) var faults: [String] = []
        /// The texts of the name or title that is open, by the name of their element.
        private var parts: [(name: String, text: String)] = []
        private var length = 0
        private var texts: [[String]: String] = [:]
        private static let mostFaults = 20

        init(reading data: Data) throws(MarkupScanner.Fault) {
            scanner = try MarkupScanner(Array(data))
            counts = header.map { _ in 0 }
            while let part = try scanner.next() {
                switch part {
                case .start: start()
                case .end: end()
                case .text(let text): if isWanted { add(text) }
                }
            }
            checkCounts()
        }

        /// The title and the names.
        var names: CDANames {
            CDANames(
                title: texts[["title"]] ?? "", patient: texts[patient] ?? "",
                author: texts[person] ?? texts[device] ?? texts[organization] ?? "", custodian: texts[custodian] ?? "")
        }

        private mutating func start() {
            let full = scanner.nameText
            if scanner.depth == 1 {
                root(full)
                return
            }
            let name = full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : ""
            let local = name.contains(":") ? "" : name
            if scanner.depth == 2, !local.isEmpty { count(local) }
            path.append(local)
            if isOpening { (parts, length) = ([], 0) }
        }

        private mutating func root(_ full: String) {
            if let colon = full.firstIndex(of: ":") { prefix = String(full[...colon]) }
            let space = scanner[prefix.isEmpty ? "xmlns" : "xmlns:\(prefix.dropLast())"]
            if full != prefix + "ClinicalDocument" { note("the element \(full.prefix(60)) is not ClinicalDocument") }
            if space != namespace { note("ClinicalDocument is not in the namespace \(namespace)") }
        }

        private mutating func count(_ name: String) {
            guard let place = header.firstIndex(where: { $0.name == name }) else {
                note("ClinicalDocument has no element \(name.prefix(60))")
                return
            }
            counts[place] += 1
            if place < last { note("\(name) stands after \(header[last].name)") }
            last = max(last, place)
        }

        private mutating func checkCounts() {
            for (place, (name, range)) in header.enumerated() where !range.contains(counts[place]) {
                note(counts[place] == 0 ? "\(name) is missing" : "\(name) occurs \(counts[place]) times")
            }
        }

        private mutating func note(_ fault: String) {
            if faults.count < Self.mostFaults { faults.append("line \(scanner.fault("").line): \(fault)") }
        }

        private var isOpening: Bool { path == ["title"] || path.count == 4 && Self.wanted.contains(path) }

        /// Whether a text belongs to a title or a name: directly, or in one of the name's parts.
        private var isWanted: Bool {
            path == ["title"] || Self.wanted.contains(Array(path.prefix(4))) && path.count <= 5
        }

        private static let wanted: Set<[String]> = [patient, person, device, organization, custodian]

        private mutating func add(_ text: String) {
            length += text.utf8.count
            if !text.isEmpty, length <= longest { parts.append((path.count == 5 ? path[4] : "", text)) }
        }

        private mutating func end() {
            guard !path.isEmpty else { return }
            // The first patient, author and custodian count.
            if isOpening, texts[path] == nil {
                let text = Self.joined(parts)
                if !text.isEmpty { texts[path] = text }
            }
            path.removeLast()
        }

        /// Returns the given names and the family name; without them the whole text.
        private static func joined(_ parts: [(name: String, text: String)]) -> String {
            func texts(_ names: [String]) -> [String] {
                parts.filter { names.contains($0.name) }.map { plain($0.text) }.filter { !$0.isEmpty }
            }
            let person = texts(["given"]) + texts(["family"])
            return person.isEmpty ? plain(parts.map(\.text).joined()) : person.joined(separator: " ")
        }

        /// Returns a text with one space in place of several.
        private static func plain(_ text: String) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }
}

/// The title of a document, and the names in it; empty for a missing one.
package struct CDANames: Hashable, Sendable {
    package var title: String
    package var patient: String
    package var author: String
    package var custodian: String
}
