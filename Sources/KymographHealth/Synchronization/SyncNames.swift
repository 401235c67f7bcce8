// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// The rows of small tables that a session has sent, so that each is sent once.
package struct SyncNames {
    private var sources: Set<Int64> = []
    private var devices: Set<Int64> = []
    private var provenances: Set<Int64> = []
    private var metadata: Set<Int64> = []
    private var series: Set<Int64> = []
    private var elements: Set<Int64> = []
    /// The metadata sets to be sent with the page.
    private var wanted: [Int64] = []

    package init() {}

    /// Adds a series and its source to a page.
    mutating func add(_ row: HealthSeriesRow, _ tables: HealthTables, _ page: inout SyncPage) {
        guard series.insert(row.series).inserted else { return }
        add(source: row.source, tables, &page)
        page.series.append(row)
    }

    /// Adds a provenance with its source and device to a page; 0 is none.
    mutating func add(
        provenance number: Int64, _ tables: HealthTables, _ page: inout SyncPage
    ) throws(HealthStoreError) {
        guard number != 0, provenances.insert(number).inserted else { return }
        guard let row = tables.provenances[number] else {
            throw HealthStoreError(.corrupt, "provenance \(number) is missing")
        }
        add(source: row.source, tables, &page)
        if let device = row.device, devices.insert(device).inserted, let text = tables.devices[device] {
            page.devices.append(DeviceRow(id: device, text: text))
        }
        page.provenances.append(row)
    }

    mutating func add(source number: Int64, _ tables: HealthTables, _ page: inout SyncPage) {
        guard sources.insert(number).inserted, let row = tables.sources[number] else { return }
        page.sources.append(row)
    }

    /// Notes a metadata set; 0 is none, and a negative number is that of an object.
    mutating func add(metadata number: Int64) {
        if number > 0, metadata.insert(number).inserted { wanted.append(number) }
    }

    /// Notes an element that a page has; returns whether the session has not sent it before.
    mutating func insert(element id: Int64) -> Bool { elements.insert(id).inserted }

    /// Adds the names of rows to a page.
    mutating func add(
        _ rows: SampleRows, _ tables: HealthTables, _ page: inout SyncPage
    ) throws(HealthStoreError) {
        var last: (provenance: Int64, metadata: Int64)?
        for row in 0..<rows.count {
            let (provenance, metadata) = (rows.provenance(of: row), rows.metadata(of: row))
            if let last, last == (provenance, metadata) {
                if rows.sharesOrigin { return }
                continue
            }
            last = (provenance, metadata)
            try add(provenance: provenance, tables, &page)
            add(metadata: metadata)
        }
    }

    /// Adds the bodies of the noted metadata sets to a page.
    mutating func finish(_ page: inout SyncPage, _ transaction: CatalogTransaction) throws {
        let bodies = try HealthCatalog.metadataBodies(ids: wanted, transaction)
        for number in wanted {
            guard let body = bodies[number] else {
                throw HealthStoreError(.corrupt, "metadata set \(number) is missing")
            }
            page.metadata.append(MetadataRow(id: number, body: body))
        }
        wanted = []
    }
}
