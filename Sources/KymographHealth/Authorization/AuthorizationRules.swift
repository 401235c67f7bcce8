// SPDX-License-Identifier: Apache-2.0

package import HealthModel

/// The types that a request may not name.
package enum AuthorizationRules {
    /// Quantities that only a device computes; no program may save them.
    private static let computed: Set<String> = Set(
        [
            HKQuantityTypeIdentifier.appleExerciseTime, .appleMoveTime, .appleStandTime, .appleWalkingSteadiness,
            .appleSleepingWristTemperature, .atrialFibrillationBurden, .walkingHeartRateAverage,
        ].map(\.rawValue))

    /// Events that only a device reports.
    private static let reported: Set<String> = Set(
        [
            HKCategoryTypeIdentifier.appleStandHour, .highHeartRateEvent, .lowHeartRateEvent,
            .headphoneAudioExposureEvent, .hypertensionEvent,
        ].map(\.rawValue))

    /// Returns whether programs may be allowed to save objects of a type.
    package static func maySave(_ type: HKObjectType) -> Bool {
        switch type {
        case is HKCorrelationType, is HKClinicalType, is HKElectrocardiogramType: false
        case is HKMedicationDoseEventType, is HKUserAnnotatedMedicationType, is VerifiableRecordType: false
        case is HKSampleType: !computed.contains(type.identifier) && !reported.contains(type.identifier)
        default: false
        }
    }

    /// Returns whether a request for types may name a type to read.
    package static func mayRead(_ type: HKObjectType) -> Bool {
        !(type is HKCorrelationType) && !type.requiresPerObjectAuthorization()
    }

    /// - Throws: `errorInvalidArgument` for types that no program may save, or that need another call to read, and for
    ///   a request without types.
    static func check(share: Set<HKSampleType>, read: Set<HKObjectType>) throws(HKError) {
        if share.isEmpty, read.isEmpty {
            throw HKError(
                .errorInvalidArgument, reason: "the request names no type", place: "requestAuthorization",
                advice: "name at least one type to save or to read")
        }
        try refuse(
            share.filter { !maySave($0) }, "share",
            "leave them out; for a correlation, name the types of its members")
        try refuse(
            read.filter { !mayRead($0) }, "read",
            "for a correlation, name the types of its members; for prescriptions and medications, call "
                + "requestPerObjectReadAuthorization(for:predicate:)")
    }

    /// The key of a program's `Info.plist` with the types without which the program is of no use.
    static let requiredKey = "NSHealthRequiredReadAuthorizationTypeIdentifiers"

    /// Returns the required types of a request: all, or none.
    ///
    /// - Parameter required: the identifiers of the program's required types; nil if it names none.
    /// - Throws: `errorInvalidArgument` for fewer than three required types, and for a request with some of them. An
    ///   error about one or two types would tell which one the person refused.
    static func required(_ required: [String]?, in read: Set<HKObjectType>) throws(HKError) -> Set<HKObjectType> {
        guard let required else { return [] }
        let (wanted, types) = (Set(required), read.filter { required.contains($0.identifier) })
        if wanted.count < 3 {
            throw HKError(
                .errorInvalidArgument, reason: "the program requires \(wanted.count) types", place: requiredKey,
                advice: "name at least three types")
        }
        if types.isEmpty || types.count == wanted.count { return types }
        let missing = wanted.subtracting(types.map(\.identifier)).sorted().joined(separator: ", ")
        throw HKError(
            .errorInvalidArgument, reason: "the request lacks the required types \(missing)", place: requiredKey,
            advice: "ask for all required types in one request")
    }

    private static func refuse(
        _ types: Set<some HKObjectType>, _ direction: String, _ advice: String
    ) throws(HKError) {
        if types.isEmpty { return }
        let names = types.map(\.identifier).sorted().joined(separator: ", ")
        throw HKError(
            .errorInvalidArgument, reason: "Authorization to \(direction) the following types is disallowed: \(names)",
            place: "requestAuthorization", advice: advice)
    }

    /// Returns the types of a correlation's members; nil if any dietary type may be a member.
    package static func members(of type: String) -> [HKObjectType]? {
        switch type {
        case HKCorrelationTypeIdentifier.bloodPressure.rawValue:
            [HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)]
        default: nil
        }
    }
}
