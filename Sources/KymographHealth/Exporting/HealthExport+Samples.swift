// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HealthCatalog
package import HealthModel

/// An audiogram or a prescription as exported: one saved by a program, or an imported one whose element is lost.
package struct ExportedSample: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    package let start: Int64
    /// The end; nil if it is unknown.
    package let end: Int64?
    package let created: Int64?
    package let source: String
    package let version: String?
    package let device: String?
    package let metadata: HealthMetadata
    package let sample: HKSample
    /// The attachments, oldest first.
    package let attachments: [UUID]
}

extension HealthExport {
    /// Calls `body` with the samples that no exported element describes, sorted by start.
    ///
    /// - Parameters:
    ///   - kind: the kind of their elements: audiograms or prescriptions.
    ///   - range: the range of the samples' starts.
    ///   - body: receives a sample, and returns whether to continue.
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of `body`.
    /// - Complexity: O(saved objects of all such kinds); memory of 16 bytes per sample.
    package func samples(
        _ kind: ImportedElementKind, range: TimeRange = .all, _ body: (ExportedSample) throws -> Bool
    ) throws {
        let type: HKObjectType = kind == .audiogram ? .audiogramSampleType() : .visionPrescriptionType()
        let reader = try ObjectReader(store, view.tables)
        try eachSaved(.fields, of: type.identifier, without: kind, range: range) { row in
            let origin = try origin(row)
            return try body(
                ExportedSample(
                    start: row.start, end: row.end == StoredTime.openEnd ? nil : row.end, created: row.created,
                    source: origin.source, version: origin.version, device: origin.device,
                    metadata: try metadata(of: row), sample: try reader.outline(row),
                    attachments: try attachments(of: row)))
        }
    }

    private func attachments(of row: SavedObjectRow) throws(HealthStoreError) -> [UUID] {
        try store.catalog([AttachmentRow]()) { try HealthCatalog.attachments(of: row.uuid, $0) }
            .map { SampleIdentity($0.uuid).uuid }
    }
}
