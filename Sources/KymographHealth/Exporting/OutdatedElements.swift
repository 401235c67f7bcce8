// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

extension HealthStore {
    /// Returns the elements of imported correlations with a deleted member.
    ///
    /// - Parameters:
    ///   - snapshot: the state of the store.
    ///   - series: returns the series of a type.
    /// - Complexity: O(correlations + samples of their members' types); memory of some 40 bytes per member, and of one
    ///   block of samples.
    func outdatedElements(
        in snapshot: Snapshot, series: (String) -> [SeriesID]
    ) throws(HealthStoreError) -> Set<Int64> {
        var missing: Set<SampleIdentity> = []
        var types: Set<String> = []
        try eachImportedCorrelation(asOf: snapshot.sequence) { body in
            for member in body.members {
                missing.insert(member.identity)
                types.insert(member.type)
            }
        }
        for id in types.flatMap(series) where !missing.isEmpty && snapshot.count(of: id) > 0 {
            try inEngine { () throws(StoreError) in
                try snapshot.scan([id], over: .all, columns: .identity) { batch throws(StoreError) in
                    for place in 0..<batch.count {
                        if let identity = batch.identity(at: place) { missing.remove(identity) }
                    }
                    return !missing.isEmpty
                }
            }
        }
        var outdated: Set<Int64> = []
        if missing.isEmpty { return outdated }
        try eachImportedCorrelation(asOf: snapshot.sequence) { body in
            guard let element = body.element, body.members.contains(where: { missing.contains($0.identity) }) else {
                return
            }
            outdated.insert(element.object)
        }
        return outdated
    }

    private func eachImportedCorrelation(
        asOf seq: Int64, _ take: (CorrelationBody) -> Void
    ) throws(HealthStoreError) {
        try catalog(()) { transaction in
            let kind = SavedObjectKind.correlation.rawValue
            try HealthCatalog.eachSavedObject(kind: kind, transaction) { row in
                guard row.born <= seq, row.died.map({ $0 > seq }) ?? true else { return }
                let body = try CorrelationBody(row.body)
                if body.element != nil { take(body) }
            }
        }
    }
}
