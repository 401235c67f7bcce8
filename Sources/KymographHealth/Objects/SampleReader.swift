// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// A reader of the samples of one series.
struct SampleReader {
    private let reader: ObjectReader
    private let type: HKSampleType
    private let quantityType: HKQuantityType?
    /// The unit of the stored values.
    let unit: HKUnit

    init(_ row: HealthSeriesRow, _ reader: ObjectReader) {
        self.reader = reader
        type =
            HKObjectType.type(for: row.type) as? HKSampleType
            ?? HKQuantityType(HKQuantityTypeIdentifier(rawValue: row.type))
        quantityType = type as? HKQuantityType
        unit = .stored(row.unit)
    }

    /// Returns the samples of a batch that has all columns. Excludes samples that start before `instant` and end at or
    /// before it, and quantities of series objects, which are not samples of their own.
    func samples(_ batch: SampleBatch, _ instant: Int64) throws -> FoundSamples {
        // Columns are copied out of the batch, and values shared with the previous sample are reused, because this loop
        // runs for every returned sample.
        let (metadata, provenance, identities) = (batch.metadata, batch.provenance, batch.identities)
        if let mark = metadata.shared, mark < 0 { return FoundSamples() }
        try prepare(metadata, batch.count)
        var origin = (row: provenance[0], origin: try reader.origin(provenance[0]))
        var values: (id: Int64, values: HealthMetadataValues?) = (0, nil)
        return try batch.withColumns { starts, ends, numbers throws(HealthStoreError) in
            var found = FoundSamples()
            found.samples.reserveCapacity(starts.count)
            found.starts.reserveCapacity(starts.count)
            for place in 0..<starts.count {
                let (start, end) = (starts[place], ends[place])
                if start < instant, end <= instant { continue }
                let id = metadata[place]
                if id < 0 { continue }
                let identity = identities[place]
                if id != values.id { values = (id, try reader.values(of: id, identity)) }
                let source = provenance[place]
                if source != origin.row { origin = (source, try reader.origin(source)) }
                let header = reader.header(identity, origin.origin, values.values)
                found.append(sample(Sample(start: start, end: end, value: numbers[place]), header), start)
            }
            return found
        }
    }

    /// Loads the metadata of `count` samples.
    private func prepare(_ metadata: BatchColumn, _ count: Int) throws {
        if metadata.shared == 0 { return }
        if let id = metadata.shared { return try reader.prepare(metadata: CollectionOfOne(id)) }
        var asked: [Int64] = []
        for place in 0..<count where metadata[place] != asked.last { asked.append(metadata[place]) }
        try reader.prepare(metadata: asked)
    }

    /// Returns the sample of a stored sample.
    func sample(_ stored: StoredSample) throws -> HKSample {
        try reader.prepare(metadata: CollectionOfOne(stored.metadata))
        return try sample(
            stored.sample, stored.identity, provenance: stored.provenance, metadata: stored.metadata)
    }

    func sample(
        _ sample: Sample, _ identity: SampleIdentity, provenance: Int64, metadata: Int64
    ) throws(HealthStoreError) -> HKSample {
        self.sample(sample, try reader.header(identity, provenance: provenance, metadata: metadata))
    }

    private func sample(_ sample: Sample, _ header: ObjectHeader) -> HKSample {
        let start = StoredTime.date(sample.start)
        let isPoint = sample.end == sample.start && sample.end != StoredTime.openEnd
        let end = isPoint ? start : StoredTime.endDate(sample.end)
        if let quantityType {
            return HKQuantitySample.stored(
                header: header, type: quantityType, quantity: HKQuantity(unit: unit, doubleValue: sample.value),
                start: start, end: end)
        }
        let category = type as? HKCategoryType ?? HKCategoryType(HKCategoryTypeIdentifier(rawValue: type.identifier))
        return HKCategorySample(
            header: header, type: category, value: Int(exactly: sample.value) ?? -1, start: start, end: end)
    }
}

extension [HKSample] {
    /// Returns the elements of a class.
    ///
    /// The compiler knows a query's result type. For the two most frequent classes the loop is specialised here,
    /// without a generic type check per sample.
    func ofClass<S: HKSample>(_: S.Type) -> [S] {
        if S.self == HKQuantitySample.self, let found = compactMap({ $0 as? HKQuantitySample }) as? [S] { return found }
        if S.self == HKCategorySample.self, let found = compactMap({ $0 as? HKCategorySample }) as? [S] { return found }
        if S.self == HKSample.self, let all = self as? [S] { return all }
        return compactMap { $0 as? S }
    }
}
