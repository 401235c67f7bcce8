// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import HealthCatalog
package import HealthModel

/// An electrocardiogram of one lead, to be stored by a load.
package struct LoadedElectrocardiogram: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    package var start: Int64
    /// The sampling frequency in hertz, above 0.
    package var frequency: Double
    package var classification: HKElectrocardiogram.Classification
    package var symptoms: HKElectrocardiogram.SymptomsStatus
    package var unit: HKUnit
    /// The voltages: at least one, all finite.
    package var voltages: [Double]
    /// The version of the recording program; nil if unknown.
    package var version: String?
    /// The name of the device's hardware; nil if unknown.
    package var hardware: String?

    package init(
        start: Int64, frequency: Double, classification: HKElectrocardiogram.Classification,
        symptoms: HKElectrocardiogram.SymptomsStatus, unit: HKUnit, voltages: [Double], version: String? = nil,
        hardware: String? = nil
    ) {
        self.start = start
        self.frequency = frequency
        self.classification = classification
        self.symptoms = symptoms
        self.unit = unit
        self.voltages = voltages
        self.version = version
        self.hardware = hardware
    }

    /// The end, in nanoseconds since 1970-01-01 UTC; nil if it is after the storable range.
    package var end: Int64? {
        let (end, isLate) = start.addingReportingOverflow(
            ElectrocardiogramRecord.Head.duration(of: voltages.count, at: frequency))
        // The last storable nanosecond means an unknown end.
        return isLate || end >= TimeLimits.latest ? nil : end
    }

    /// The identity, which is equal for equal recordings: a UUID of version 8 (RFC 9562) made of two digests.
    ///
    /// Includes only measured values. Classification and symptoms are parsed from words in the language of the phone,
    /// by a list that grows: a later version may parse them differently for the same recording.
    var identity: SampleIdentity {
        var bytes = ByteWriter(capacity: 64 + voltages.count * 8)
        bytes.put(start)
        bytes.put(double: frequency)
        bytes.put(string: unit.unitString)
        for voltage in voltages { bytes.put(double: voltage) }
        return .digested(bytes.bytes)
    }
}

/// The electrocardiograms of a load before its commit.
struct PendingElectrocardiograms {
    /// The rows without numbers and bodies, and the place of each body.
    var rows: [(row: SavedObjectRow, body: PendingBodies.Place)] = []
    fileprivate var met: Set<SampleIdentity> = []
}

extension HealthLoader {
    /// The source of electrocardiograms whose file names no source.
    private static let electrocardiogramSource = "ECG"

    /// Adds an electrocardiogram, unless one with the same start, frequency, unit and voltages is stored. A stored one
    /// is not changed.
    ///
    /// - Returns: whether the electrocardiogram is new.
    @discardableResult
    package func add(_ one: LoadedElectrocardiogram) throws(HealthStoreError) -> Bool {
        if isBeforeHistory(one.end) { return false }
        let identity = one.identity
        guard electrocardiograms.met.insert(identity).inserted else { return false }
        let known = try store.catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [identity.bytes], $0)
        }
        if known.contains(where: { $0 != nil }) { return false }
        let device = one.hardware.map {
            DeviceDescription(
                HKDevice(
                    name: nil, manufacturer: nil, model: nil, hardwareVersion: $0, firmwareVersion: nil,
                    softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
            ).text
        }
        let (provenance, _) = provenance(
            source: Self.electrocardiogramSource, version: one.version, device: device)
        let head = ElectrocardiogramRecord.Head(
            count: one.voltages.count, frequency: one.frequency, classification: one.classification,
            symptoms: one.symptoms, averageHeartRate: nil)
        let lead = ElectrocardiogramRecord.Lead(
            number: Int64(HKElectrocardiogram.Lead.appleWatchSimilarToLeadI.rawValue), unit: one.unit.unitString,
            values: one.voltages)
        let row = SavedObjectRow(
            id: 0, uuid: identity.bytes, kind: SavedObjectKind.electrocardiogram.rawValue,
            type: HKObjectType.electrocardiogramType().identifier, provenance: provenance, start: one.start,
            end: one.end ?? TimeLimits.latest, body: [])
        electrocardiograms.rows.append((row, try bodies.append(ElectrocardiogramRecord(head, [lead]).body)))
        return true
    }

    /// Writes the electrocardiograms, inside the commit's transaction. Their numbers follow the last stored one.
    func insertElectrocardiograms(_ transaction: CatalogTransaction) throws {
        if electrocardiograms.rows.isEmpty { return }
        var last = try HealthCatalog.lastSavedObject(transaction)
        for (row, place) in electrocardiograms.rows {
            var row = row
            last += 1
            row.id = last
            row.body = try bodies.bytes(place)
            try HealthCatalog.insert([row], transaction)
        }
    }
}
