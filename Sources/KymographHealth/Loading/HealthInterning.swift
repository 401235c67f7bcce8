// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// The numbers of sources, devices and provenances: stored ones, and new ones for the next commit.
package struct HealthInterning {
    // Keys are bytes: Swift compares strings by canonical equivalence, not by their bytes.
    private var sources: [Source: Int64] = [:]
    private var devices: [[UInt8]: Int64] = [:]
    private var provenances: [Provenance: Int64] = [:]
    private var lastSource: Int64 = 0
    private var lastDevice: Int64 = 0
    private var lastProvenance: Int64 = 0
    private(set) var newSources: [SourceRow] = []
    private(set) var newDevices: [DeviceRow] = []
    private(set) var newProvenances: [ProvenanceRow] = []

    private struct Source: Hashable {
        var name: [UInt8]
        var bundle: [UInt8]?

        init(_ name: String, _ bundle: String?) {
            self.name = Array(name.utf8)
            self.bundle = bundle.map { Array($0.utf8) }
        }
    }

    private struct Provenance: Hashable {
        var source: Int64
        var version: [UInt8]?
        var device: Int64?
        var product: [UInt8]?
        var system: [UInt8]?

        init(_ row: ProvenanceRow) {
            source = row.source
            version = row.version.map { Array($0.utf8) }
            device = row.device
            product = row.product.map { Array($0.utf8) }
            system = row.system.map { Array($0.utf8) }
        }
    }

    init(_ rows: HealthSnapshot) {
        for row in rows.sources { sources[Source(row.name, row.bundle)] = row.id }
        for row in rows.devices { devices[Array(row.text.utf8)] = row.id }
        for row in rows.provenances { provenances[Provenance(row)] = row.id }
        lastSource = rows.sources.last?.id ?? 0
        lastDevice = rows.devices.last?.id ?? 0
        lastProvenance = rows.provenances.last?.id ?? 0
    }

    /// Returns the number of a source; nil if it has none yet.
    func known(source name: String, bundle: String? = nil) -> Int64? { sources[Source(name, bundle)] }

    /// Returns all numbers of a program. Its bundle identifier identifies it; its name may have changed.
    func known(program bundle: String) -> Set<Int64> {
        let wanted = Array(bundle.utf8)
        return Set(sources.lazy.filter { $0.key.bundle == wanted }.map(\.value))
    }

    /// Returns all numbers of the program of a source; only the source itself if it has no bundle identifier.
    func numbers(ofProgramOf source: Int64) -> Set<Int64> {
        guard let bundle = sources.first(where: { $0.value == source })?.key.bundle else { return [source] }
        return Set(sources.lazy.filter { $0.key.bundle == bundle }.map(\.value))
    }

    /// Returns the number of a source, and assigns one if needed. Sources of exports have no bundle identifier.
    package mutating func source(_ name: String, bundle: String? = nil) -> Int64 {
        let key = Source(name, bundle)
        if let id = sources[key] { return id }
        lastSource += 1
        sources[key] = lastSource
        newSources.append(SourceRow(id: lastSource, name: name, bundle: bundle))
        return lastSource
    }

    /// Returns the number of a device by its description without the heap address, and assigns one if needed.
    package mutating func device(_ text: String) -> Int64 {
        let key = Array(text.utf8)
        if let id = devices[key] { return id }
        lastDevice += 1
        devices[key] = lastDevice
        newDevices.append(DeviceRow(id: lastDevice, text: text))
        return lastDevice
    }

    /// Returns the number of a provenance, and assigns one if needed: source, version, device, product type and
    /// operating system. Unknown parts are nil; exports never state product type and system.
    package mutating func provenance(
        source: Int64, version: String?, device: Int64?, product: String? = nil, system: String? = nil
    ) -> Int64 {
        var row = ProvenanceRow(
            id: 0, source: source, version: version, device: device, product: product, system: system)
        let key = Provenance(row)
        if let id = provenances[key] { return id }
        lastProvenance += 1
        provenances[key] = lastProvenance
        row.id = lastProvenance
        newProvenances.append(row)
        return lastProvenance
    }
}

extension HealthLoader {
    /// Returns the provenance of a source in a version on a device, and the source's number.
    package func provenance(
        source name: String, version: String?, device: String?
    ) -> (provenance: Int64, source: Int64) {
        let source = interned.source(name)
        let device = device.map { interned.device($0) }
        return (interned.provenance(source: source, version: version, device: device), source)
    }

    /// Returns a local number for a metadata set in the bytes of `MetadataWriter`; 0 for the empty set. `metadataRow`
    /// returns its row.
    package func intern(metadata body: [UInt8]) throws(HealthStoreError) -> Int32 {
        try metadata.intern(body, bodies)
    }

    /// Returns the row of a metadata set.
    ///
    /// - Ordering: after `resolveMetadata`.
    package func metadataRow(_ local: Int32) -> Int64 { metadata.row(local) }

    /// Resolves the rows of all metadata sets interned so far. Sets that are not stored get new rows.
    package func resolveMetadata() throws(HealthStoreError) {
        while metadata.rows.count < metadata.count {
            let range = metadata.nextUnresolved(sets: 4_096, bytes: 4 << 20)
            var found = [Int64?](repeating: nil, count: range.count)
            if storedMetadata > 0 {
                let sets = try range.map { index throws(HealthStoreError) in try metadata.body(index, bodies) }
                found = try inEngine { () throws(StoreError) in
                    try store.engine.readCatalog { try HealthCatalog.metadataIDs(bodies: sets, $0) }
                }
            }
            for row in found {
                if let row {
                    metadata.resolve(to: row, isNew: false)
                } else {
                    metadata.resolve(to: nextMetadata, isNew: true)
                    nextMetadata += 1
                }
            }
        }
    }
}
