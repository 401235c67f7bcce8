// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// Sources, devices and provenances as numbers: those that are stored, and new ones that a commit will bring.
package struct HealthInterning {
    // Texts are told apart by their bytes: Swift's strings are equal when they only look the same.
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

    /// The number of a source that has one.
    func known(source name: String, bundle: String? = nil) -> Int64? { sources[Source(name, bundle)] }

    /// All numbers of a program: it is known by its bundle identifier, and may have changed its name.
    func known(program bundle: String) -> Set<Int64> {
        let wanted = Array(bundle.utf8)
        return Set(sources.lazy.filter { $0.key.bundle == wanted }.map(\.value))
    }

    /// The number of a source; those of exports have no bundle identifier.
    package mutating func source(_ name: String, bundle: String? = nil) -> Int64 {
        let key = Source(name, bundle)
        if let id = sources[key] { return id }
        lastSource += 1
        sources[key] = lastSource
        newSources.append(SourceRow(id: lastSource, name: name, bundle: bundle))
        return lastSource
    }

    /// The number of a device, by its description without the heap address.
    package mutating func device(_ text: String) -> Int64 {
        let key = Array(text.utf8)
        if let id = devices[key] { return id }
        lastDevice += 1
        devices[key] = lastDevice
        newDevices.append(DeviceRow(id: lastDevice, text: text))
        return lastDevice
    }

    /// The number of a source in a version, on a device, on a kind of machine with some system; nil for what is not
    /// known, as in an export the last two.
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
    /// The provenance of a source in a version on a device, and its source.
    package func provenance(
        source name: String, version: String?, device: String?
    ) -> (provenance: Int64, source: Int64) {
        let source = interned.source(name)
        let device = device.map { interned.device($0) }
        return (interned.provenance(source: source, version: version, device: device), source)
    }

    /// A number for a metadata set as `MetadataWriter` wrote it; 0 for none. `metadataRow` says which row it is.
    package func intern(metadata body: [UInt8]) throws(HealthStoreError) -> Int32 {
        try metadata.intern(body, bodies)
    }

    /// The row of a metadata set; `resolveMetadata` must have been called since it was interned.
    package func metadataRow(_ local: Int32) -> Int64 { metadata.row(local) }

    /// Finds the rows of all metadata sets that were interned so far; those that are not stored get new ones.
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
