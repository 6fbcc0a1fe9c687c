package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CP;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LOCK;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LOCK_LONG;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.SYNC_DOWN;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.SYNC_UP;

import java.util.ArrayList;
import java.util.List;

/** All lies of a hostile server of version 4. */
final class CompoundLies {
    private CompoundLies() {}

    static List<CompoundLie> all() {
        var all = new ArrayList<CompoundLie>();
        all.add(
                CompoundLie.harmless(
                        "truth",
                        Lies.none(),
                        GET_ARCHIVE,
                        PUT_TREE,
                        CP,
                        LOCK,
                        LOCK_LONG,
                        SYNC_UP,
                        SYNC_DOWN));
        all.addAll(SessionLies.all());
        all.addAll(StateLies.all());
        all.addAll(DataLies.all());
        all.addAll(OffloadLies.all());
        all.addAll(NameLies.all());
        all.addAll(CallbackLies.all());
        var session = SessionLies.all();
        for (var lie : session) {
            if (lie.word().contains("-later") || lie.word().startsWith("target")) {
                all.add(lie.with("-many", "--vers", "4.2", "--connections", "4"));
            }
        }
        all.add(all.getFirst().with("-4-1", "--vers", "4.1"));
        return all;
    }
}
