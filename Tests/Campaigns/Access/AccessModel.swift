// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A naive model of a client: the objects that it may see, computed from all objects and decisions.
struct AccessModel {
    struct Object {
        let sample: HKQuantitySample
        let isOwn: Bool
    }

    enum Permission: Equatable {
        case undetermined, denied, allowed, since(Date)
    }

    var objects: [UUID: Object] = [:]
    var reads: [HKQuantityType: Permission] = [:]
    var shares: [HKQuantityType: Bool] = [:]
    /// The objects that the client knows from anchored queries.
    var known: Set<UUID> = []

    /// Returns the visible objects of a type, by start; nil without a decision.
    func visible(_ type: HKQuantityType) -> [HKQuantitySample]? {
        let permission = reads[type] ?? .undetermined
        if permission == .undetermined { return nil }
        return objects.values.filter { one in
            guard one.sample.quantityType == type else { return false }
            switch permission {
            case .undetermined, .denied: return one.isOwn
            case .allowed: return true
            case .since(let first): return one.isOwn || one.sample.endDate >= first
            }
        }.map(\.sample).sorted { $0.startDate < $1.startDate }
    }
}
