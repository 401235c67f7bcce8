// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The changes that a client with limits may see, type by type.
///
/// A position names the decision about each type. After another decision, granted or refused, the type starts again:
/// every visible object is reported once more. If nothing visible changed, the position stays the same, so that it does
/// not show the commits of other programs.
struct LimitedFeed {
    let store: HealthStore
    /// The access of the client; nil if there are no limits any more.
    let access: HealthAccess?
    let view: HealthView
    let lifecycle: QueryLifecycle

    /// Returns the changes since a position.
    func page(
        _ parts: [SampleSearch.Part], since position: FeedPosition?, _ limit: Int
    ) throws -> FeedPage {
        for part in parts { try access?.requireReading(part.type) }
        var page = FeedPage(position: FeedPosition())
        page.position.types = position?.types ?? [:]
        page.isComplete = true
        for part in SampleSearch(parts).parts {
            let type = part.type.identifier
            let decision = access?.decision(part.type) ?? 0
            let begun = self.begun(position, type, decision)
            let left = limit - page.count
            if left <= 0 || lifecycle.isStopped {
                page.isComplete = false
                // A type that is not read yet stays where it was.
                if let begun { page.position.types[type] = .init(decision: decision, position: begun) }
                continue
            }
            let found = try store.feed([part], since: begun, left, lifecycle, view)
            page.added += found.added
            page.deleted += found.deleted
            if !found.isComplete { page.isComplete = false }
            let isSame = found.count == 0 && found.isComplete
            let next = isSame ? begun ?? found.position : found.position
            page.position.types[type] = .init(decision: decision, position: next)
        }
        return page
    }

    /// Returns the position of a type; nil to start with all objects.
    private func begun(_ position: FeedPosition?, _ type: String, _ decision: Int64) -> FeedPosition? {
        guard let position else { return nil }
        // A position without limits holds for all types.
        if !position.isByType { return position.isStart && position.died.commit < 0 ? nil : position }
        guard let known = position.types[type], known.decision == decision else { return nil }
        return known.position
    }
}
