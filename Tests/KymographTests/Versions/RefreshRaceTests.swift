// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Catalog
@testable import Kymograph

@Suite("E-12 several threads refresh one opening")
struct RefreshRaceTests {
    @Test("Of two callers that loaded the same commit, the second does not let the segments of the first expire")
    func sameCommit() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        try test.store.load((0..<3_000).map { Sample(start: Int64($0), value: 1) }, to: id)
        // Two threads that both found the commit: each loads the catalog for itself.
        let (context, access) = (reader.context, reader.access)
        let loader = VersionLoader(context.layout, context.options, context.cache)
        let known = context.version
        let versions = try (0..<2).map { _ in
            let (catalog, image) = try loader.catalog(readOnly: true)
            defer { try? catalog.close() }
            return try loader.version(of: image, known: known)
        }
        for version in versions { try access.publish(version) }
        // A later commit releases the holds of the earlier ones.
        try test.store.append([Sample(start: 9_999, value: 2)], to: id)
        #expect(try reader.refresh())
        #expect(try reader.snapshot().all(id).count == 3_001)
        #expect(try reader.verify().isSound)
    }
}
