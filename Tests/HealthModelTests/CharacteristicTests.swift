// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-16 S-17 characteristics are enumerations in objects")
struct CharacteristicTests {
    @Test("raw values equal HealthKit's")
    func rawValues() {
        #expect(HKBiologicalSex.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(HKBiologicalSex.female.rawValue == 1 && HKBiologicalSex.male.rawValue == 2)
        #expect(HKBloodType.allCases.map(\.rawValue) == Array(0...8))
        #expect(HKBloodType.aNegative.rawValue == 2 && HKBloodType.oPositive.rawValue == 7)
        #expect(HKFitzpatrickSkinType.allCases.map(\.rawValue) == Array(0...6))
        #expect(HKFitzpatrickSkinType.IV.rawValue == 4)
        #expect(HKWheelchairUse.allCases.map(\.rawValue) == [0, 1, 2] && HKWheelchairUse.yes.rawValue == 2)
        #expect(HKActivityMoveMode.allCases.map(\.rawValue) == [1, 2])
    }

    @Test("names in exports are parsed")
    func exported() {
        #expect(HKBiologicalSex(exported: "HKBiologicalSexFemale") == .female)
        #expect(HKBloodType(exported: "HKBloodTypeABPositive") == .abPositive)
        #expect(HKBloodType(exported: "HKBloodTypeNotSet") == .notSet)
        #expect(HKFitzpatrickSkinType(exported: "HKFitzpatrickSkinTypeIII") == .III)
        #expect(HKWheelchairUse(exported: "HKWheelchairUseYes") == .yes)
        #expect(HKActivityMoveMode(exported: "HKActivityMoveModeAppleMoveTime") == .appleMoveTime)
        #expect(HKBloodType(exported: "HKBloodTypeZ") == nil && HKBloodType(exported: "") == nil)
        #expect(HKBloodType(exported: "HKBiologicalSexFemale") == nil)
    }

    @Test("objects hold their value and compare by it")
    func objects() {
        #expect(HKBiologicalSexObject(.other).biologicalSex == .other)
        #expect(HKBloodTypeObject(.oNegative).bloodType == .oNegative)
        #expect(HKFitzpatrickSkinTypeObject(.VI).skinType == .VI)
        #expect(HKWheelchairUseObject(.no).wheelchairUse == .no)
        #expect(HKActivityMoveModeObject(.activeEnergy).activityMoveMode == .activeEnergy)
        #expect(HKBloodTypeObject(.aPositive) == HKBloodTypeObject(.aPositive))
        #expect(HKBloodTypeObject(.aPositive) != HKBloodTypeObject(.aNegative))
        #expect(HKBloodTypeObject(.aPositive).hash == HKBloodTypeObject(.aPositive).hash)
        let blood = HKBloodTypeObject(.aPositive)
        #expect(blood.copy() as? HKBloodTypeObject === blood)
    }
}
