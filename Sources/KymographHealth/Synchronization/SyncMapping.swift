// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// The rows of small tables that a peer has named in a session: its numbers, and what they are here.
package struct SyncMapping {
    /// A series of the peer.
    struct Series {
        let type: String
        /// The number of the source here.
        let source: Int64
        let unit: String?
    }

    /// The sync identifier of a metadata set.
    struct Identifier {
        let text: String
        let version: Double
    }

    private var sources: [Int64: Int64] = [:]
    private var devices: [Int64: Int64] = [:]
    private var provenances: [Int64: (number: Int64, source: Int64)] = [:]
    private var metadata: [Int64: Int64] = [:]
    private var series: [Int64: Series] = [:]
    /// The elements of imports.
    var elements: [Int64: Int64] = [:]
    /// The sync identifiers of metadata sets, by number here.
    private var identifiers: [Int64: Identifier] = [:]

    package init() {}

    /// Takes the names of a page, and gives them numbers in a load.
    mutating func add(_ page: SyncPage, _ loader: HealthLoader) throws(HealthStoreError) {
        for row in page.sources { sources[row.id] = loader.interned.source(row.name, bundle: row.bundle) }
        for row in page.devices { devices[row.id] = loader.interned.device(row.text) }
        for row in page.provenances {
            let source = try number(row.source, sources, "source")
            let device = try row.device.map { one throws(HealthStoreError) in try number(one, devices, "device") }
            let provenance = loader.interned.provenance(
                source: source, version: row.version, device: device, product: row.product, system: row.system)
            provenances[row.id] = (provenance, source)
        }
        for row in page.series {
            series[row.series] = Series(
                type: row.type, source: try number(row.source, sources, "source"), unit: row.unit)
        }
        try addMetadata(page.metadata, loader)
    }

    private mutating func addMetadata(
        _ rows: [MetadataRow], _ loader: HealthLoader
    ) throws(HealthStoreError) {
        var locals = [(row: MetadataRow, local: Int32, identifier: Identifier?)]()
        for row in rows {
            // Other bytes would be damage in this store.
            let values = try HealthMetadata(decoding: row.body).values
            locals.append((row, try loader.intern(metadata: row.body), Identifier(values)))
        }
        if locals.isEmpty { return }
        try loader.resolveMetadata()
        for (row, local, identifier) in locals {
            let number = loader.metadataRow(local)
            metadata[row.id] = number
            identifiers[number] = identifier
        }
    }

    private func number(
        _ number: Int64, _ known: [Int64: Int64], _ what: String
    ) throws(HealthStoreError) -> Int64 {
        if let found = known[number] { return found }
        throw Self.unnamed(what, number)
    }

    private static func unnamed(_ what: String, _ number: Int64) -> HealthStoreError {
        HealthStoreError(.corrupt, "the other store uses \(what) \(number), which it has not named")
    }

    /// Returns the number of a provenance here; 0 is none.
    func provenance(_ number: Int64) throws(HealthStoreError) -> Int64 {
        if number == 0 { return 0 }
        guard let found = provenances[number] else { throw Self.unnamed("provenance", number) }
        return found.number
    }

    /// Returns the number of a source here.
    func source(_ number: Int64) throws(HealthStoreError) -> Int64 { try self.number(number, sources, "source") }

    /// Returns the number here of a provenance's source; 0 if there is none.
    func source(ofProvenance number: Int64) -> Int64 { provenances[number]?.source ?? 0 }

    /// Returns the number of a metadata set here; 0 is none.
    func metadata(_ number: Int64) throws(HealthStoreError) -> Int64 {
        number == 0 ? 0 : try self.number(number, metadata, "metadata set")
    }

    func series(_ number: Int64) throws(HealthStoreError) -> Series {
        guard let found = series[number] else { throw Self.unnamed("series", number) }
        return found
    }

    /// Returns the sync identifier in a metadata set, by its number here; nil if it has none.
    func identifier(_ metadata: Int64) -> Identifier? { identifiers[metadata] }

    /// Whether any metadata set has a sync identifier.
    var hasIdentifiers: Bool { !identifiers.isEmpty }
}

extension SyncMapping.Identifier {
    init?(_ values: HealthMetadataValues) {
        guard case .string(let text)? = values[HKMetadataKeySyncIdentifier],
            let version = values[HKMetadataKeySyncVersion]?.number, version.isFinite
        else { return nil }
        (self.text, self.version) = (text, version)
    }
}
