// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A dose of a medication that a person took, skipped or forgot.
///
/// Stores return the dose events of `HealthMedicationStore`.
public final class HKMedicationDoseEvent: HKSample, @unchecked Sendable {
    /// The reason for a dose event. Raw values are HealthKit's.
    public enum ScheduleType: Int, Hashable, Sendable, CaseIterable {
        /// The person took the medication as needed.
        case asNeeded = 1
        /// The schedule of the medication.
        case schedule = 2
    }

    /// What the person did. Raw values are HealthKit's.
    public enum LogStatus: Int, Hashable, Sendable, CaseIterable {
        /// The person did not answer a reminder.
        case notInteracted = 1
        /// The reminder was not delivered.
        case notificationNotSent = 2
        /// The person postponed the reminder.
        case snoozed = 3
        /// The person took the dose.
        case taken = 4
        /// The person skipped the dose.
        case skipped = 5
        /// The person removed the entry.
        case notLogged = 6
    }

    /// The stored properties of a dose event.
    package struct Content: Sendable, Hashable {
        package var concept: HKHealthConceptIdentifier
        package var status: LogStatus
        package var scheduledDate: Date?
        package var scheduledQuantity: Double?
        package var quantity: Double?
        package var unit: HKUnit
        /// The name of the medication when the event was saved.
        package var name: String

        package init(
            concept: HKHealthConceptIdentifier, name: String, status: LogStatus, unit: HKUnit, quantity: Double?
        ) {
            self.concept = concept
            self.name = name
            self.status = status
            self.unit = unit
            self.quantity = quantity
        }
    }

    package let content: Content

    package init(header: ObjectHeader, start: Date, end: Date, content: Content) {
        self.content = content
        super.init(header: header, type: HKObjectType.medicationDoseEventType(), start: start, end: end)
    }

    /// Decodes a dose event that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKMedicationDoseEvent.self) else { return nil }
        content = known.content
        super.init(coder: coder)
    }

    /// The type of the event.
    public var medicationDoseEventType: HKMedicationDoseEventType {
        sampleType as? HKMedicationDoseEventType ?? HKObjectType.medicationDoseEventType()
    }
    /// The reason for the event.
    public var scheduleType: ScheduleType { content.scheduledDate == nil ? .asNeeded : .schedule }
    /// The identifier of the medication.
    public var medicationConceptIdentifier: HKHealthConceptIdentifier { content.concept }
    /// The time of the schedule; nil for a dose as needed.
    public var scheduledDate: Date? { content.scheduledDate }
    /// The number of units in the schedule; nil for a dose as needed.
    public var scheduledDoseQuantity: Double? { content.scheduledQuantity }
    /// The number of units that the person took; nil if the person took none.
    public var doseQuantity: Double? { content.quantity }
    /// What the person did.
    public var logStatus: LogStatus { content.status }
    /// The unit of the quantities.
    public var unit: HKUnit { content.unit }

    package override var fields: HealthFields? { content.fields }

    /// The medication, the status, the times and the identity.
    public override var description: String { "\(content.name) \(logStatus) \(times) \(uuid)" }
}

extension HKMedicationDoseEvent.Content {
    /// The properties as fields: 1 identifier of the medication, 2 status, 3 scheduled date, 4 scheduled number,
    /// 5 number, 6 unit, 7 name of the medication.
    package var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, concept.fields)
        fields.put(2, status.rawValue)
        fields.put(3, scheduledDate)
        fields.put(4, scheduledQuantity)
        fields.put(5, quantity)
        fields.put(6, unit.unitString)
        fields.put(7, name)
        return fields
    }

    /// Creates the properties of fields.
    package init(fields: HealthFields) throws(HealthFields.Fault) {
        self.init(
            concept: try HKHealthConceptIdentifier(
                fields: required(fields.part(1), "the identifier of the medication")),
            name: try fields.text(7) ?? "",
            status: try required(
                fields.all(2, of: HKMedicationDoseEvent.LogStatus.self).first, "the status of the dose"),
            unit: .stored(try required(fields.text(6), "the unit of the dose")), quantity: try fields.real(5))
        scheduledDate = try fields.date(3)
        scheduledQuantity = try fields.real(4)
        if (scheduledDate == nil) != (scheduledQuantity == nil) {
            throw HealthFields.Fault(reason: "the schedule of the dose is incomplete")
        }
    }
}
