package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Makes the plans of a call that uses open files, with the stateids that they have then. Used by
 * one call.
 *
 * <p>Tests: {@code LostStateTest}, {@code FileLocksTest}.
 */
final class FileUse implements Planning {
    private final List<OpenAtServer> files;
    private final String what;
    private final Function<List<StateId>, Plan> plan;

    /** The stateids of the last plan; none if there was no plan. */
    private List<StateId> used = List.of();

    /**
     * @param what for the message of a failure
     * @param plan of a stateid of each file: of its locks, or of the open if it has none
     */
    FileUse(List<OpenAtServer> files, String what, Function<List<StateId>, Plan> plan) {
        this.files = files;
        this.what = what;
        this.plan = plan;
    }

    @Override
    public Plan plan() throws IOException, InterruptedException {
        used = List.of();
        var stateIds = new ArrayList<StateId>();
        for (var file : files) {
            stateIds.add(file.usable(what));
        }
        used = List.copyOf(stateIds);
        return plan.apply(used);
    }

    /**
     * A server does not say which of two stateids it does not know: both files are opened again.
     */
    @Override
    public boolean hearsOfLoss() {
        boolean mayGoOn = !used.isEmpty();
        for (int i = 0; i < used.size(); i++) {
            files.get(i).revoked(used.get(i));
            mayGoOn &= !files.get(i).isLost();
        }
        return mayGoOn;
    }
}
