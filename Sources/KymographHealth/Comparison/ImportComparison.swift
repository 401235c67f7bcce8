// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog

/// Compares the remaining content of two stores: elements and files of imports, attachments, characteristics, settings.
struct ImportComparison {
    private let first: ComparedStore
    private let second: ComparedStore

    init(_ first: ComparedStore, _ second: ComparedStore) { (self.first, self.second) = (first, second) }

    // MARK: - Elements

    /// Compares the elements of imports by their digests, without those whose XML the other store has erased.
    func compareElements(
        _ erased: (first: Set<Int64>, second: Set<Int64>), _ report: inout ComparisonReport
    ) throws(HealthStoreError) {
        for kind in ImportedElementKind.allCases {
            let ours = try elements(kind, first, erased.first)
            let theirs = try elements(kind, second, erased.second)
            for digest in Set(ours.keys).union(theirs.keys).sorted() {
                let (one, other) = (ours[digest] ?? [], theirs[digest] ?? [])
                report.elements += max(one.count, other.count)
                for id in one.dropFirst(other.count) { try note(element: id, kind, first, .first, &report) }
                for id in other.dropFirst(one.count) { try note(element: id, kind, second, .second, &report) }
            }
        }
    }

    private func elements(
        _ kind: ImportedElementKind, _ side: ComparedStore, _ erased: Set<Int64>
    ) throws(HealthStoreError) -> [Int64: [Int64]] {
        let commit = side.commit
        let all = try side.store.catalog([Int64: [Int64]]()) {
            try HealthCatalog.objectIDs(kind: kind.rawValue, asOf: commit, $0)
        }
        return erased.isEmpty ? all : all.mapValues { $0.filter { !erased.contains($0) } }
    }

    private func note(
        element id: Int64, _ kind: ImportedElementKind, _ side: ComparedStore,
        _ presence: HealthStoreComparison.Presence, _ report: inout ComparisonReport
    ) throws(HealthStoreError) {
        let rows =
            report.hasRoom ? try side.store.catalog([ElementRow]()) { try HealthCatalog.objects(ids: [id], $0) } : []
        report.add { .init(type: "element", name: "\(kind)", start: rows.first?.start, presence: presence) }
    }

    // MARK: - Files

    /// Compares the files of imports by path, length and digest.
    func compareDocuments(_ report: inout ComparisonReport) throws(HealthStoreError) {
        struct Key: Hashable {
            let path: String
            let bytes: Int64
            let digest: Int64
        }
        func documents(_ side: ComparedStore) throws(HealthStoreError) -> [Key: Int] {
            let rows = try side.store.catalog([DocumentRow]()) { try HealthCatalog.documents($0) }
            return Dictionary(rows.map { (Key(path: $0.path, bytes: $0.bytes, digest: $0.digest), 1) }) { $0 + $1 }
        }
        let (ours, theirs) = (try documents(first), try documents(second))
        for key in Set(ours.keys).union(theirs.keys).sorted(by: { ($0.path, $0.digest) < ($1.path, $1.digest) }) {
            let (one, other) = (ours[key] ?? 0, theirs[key] ?? 0)
            report.documents += max(one, other)
            for _ in 0..<abs(one - other) {
                report.add {
                    .init(
                        type: "file", name: key.path, presence: one > other ? .first : .second,
                        details: ["\(key.bytes) bytes"])
                }
            }
        }
    }

    // MARK: - Attachments

    /// Compares attachments: their properties, and every byte of their files.
    func compareAttachments(_ report: inout ComparisonReport) throws(HealthStoreError) {
        func attachments(_ side: ComparedStore) throws(HealthStoreError) -> [[UInt8]: AttachmentRow] {
            let rows = try side.store.catalog([AttachmentRow]()) { try HealthCatalog.attachments(of: nil, $0) }
            return Dictionary(rows.map { ($0.uuid, $0) }) { first, _ in first }
        }
        let (ours, theirs) = (try attachments(first), try attachments(second))
        let all = Set(ours.keys).union(theirs.keys)
        for uuid in all.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            report.attachments += 1
            let name = SampleIdentity(uuid).uuid.uuidString
            if let one = ours[uuid], let other = theirs[uuid] {
                let details = try details(one, other)
                if !details.isEmpty {
                    report.add { .init(type: "attachment", name: name, presence: .both, details: details) }
                }
            } else if let one = ours[uuid] ?? theirs[uuid] {
                let place = ours[uuid] == nil ? HealthStoreComparison.Presence.second : .first
                report.add { .init(type: "attachment", name: name, presence: place, details: ["name: \(one.name)"]) }
            }
        }
    }

    private func details(_ one: AttachmentRow, _ other: AttachmentRow) throws(HealthStoreError) -> [String] {
        func properties(_ row: AttachmentRow) throws(HealthStoreError) -> [ComparedStore.Property] {
            [
                ("object", SampleIdentity(row.object).uuid.uuidString), ("name", row.name), ("type", row.type),
                ("length", "\(row.bytes)"), ("time of creation", SampleComparison.time(row.created) ?? ""),
                ("metadata", row.metadata.map { "\(HealthCatalog.digest($0))" } ?? "none"),
            ]
        }
        let (ours, theirs) = (try properties(one), try properties(other))
        if !ours.elementsEqual(theirs, by: { $0 == $1 }) { return ComparedText.differences(ours, theirs) }
        let (file, copy) = (try read(one, first), try read(other, second))
        while true {
            let (bytes, wanted) = (try next(file), try next(copy))
            if bytes != wanted { return ["content"] }
            if bytes == nil { return [] }
        }
    }

    private func read(_ row: AttachmentRow, _ side: ComparedStore) throws(HealthStoreError) -> AttachedFileReader {
        try inEngine { () throws(StoreError) in
            try side.store.engine.openAttachedFile(AttachedFileRow(uuid: row.uuid, bytes: row.bytes))
        }
    }

    /// Returns the next bytes of a file; nil at the end.
    private func next(_ file: AttachedFileReader) throws(HealthStoreError) -> [UInt8]? {
        var found: [UInt8] = []
        let isThere = try inEngine { () throws(StoreError) in
            try file.read { bytes, content in found += bytes[content] }
        }
        return isThere ? found : nil
    }

    // MARK: - Characteristics and settings

    /// The beginnings of the keys of settings that a person chose. Other settings are of one store only.
    private static let prefixes = ["unit.", "goal.", "order.", "zones."]

    /// Compares characteristics, preferred units, goals, the order of sources, and zones.
    func compareSettings(_ report: inout ComparisonReport) throws(HealthStoreError) {
        try compare("characteristic", &report) { side throws(HealthStoreError) in
            try side.store.catalog([:]) { try HealthCatalog.characteristics($0) }
        }
        try compare("setting", &report) { side throws(HealthStoreError) in
            try side.store.catalog([:]) { try HealthCatalog.settings($0) }.filter { key, _ in
                Self.prefixes.contains { key.hasPrefix($0) }
            }
        }
    }

    private func compare(
        _ type: String, _ report: inout ComparisonReport,
        _ read: (ComparedStore) throws(HealthStoreError) -> [String: String]
    ) throws(HealthStoreError) {
        let (ours, theirs) = (try read(first), try read(second))
        for key in Set(ours.keys).union(theirs.keys).sorted() {
            report.settings += 1
            let (one, other) = (ours[key], theirs[key])
            if one == other { continue }
            let presence: HealthStoreComparison.Presence = one == nil ? .second : other == nil ? .first : .both
            report.add {
                .init(
                    type: type, name: key, presence: presence,
                    details: presence == .both
                        ? [ComparedText.difference("value", one, other)] : ["value: \(one ?? other ?? "")"])
            }
        }
    }
}
