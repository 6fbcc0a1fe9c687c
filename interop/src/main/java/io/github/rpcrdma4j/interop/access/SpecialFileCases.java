package io.github.rpcrdma4j.interop.access;

import static io.github.rpcrdma4j.interop.access.Caller.OTHER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER;
import static io.github.rpcrdma4j.interop.access.Caller.OWNER_UID;
import static io.github.rpcrdma4j.interop.access.Caller.SHARED_GID;
import static io.github.rpcrdma4j.interop.access.Operation.create;
import static io.github.rpcrdma4j.interop.access.Operation.setattr;

import io.github.rpcrdma4j.interop.access.CaseFile.Kind;
import io.github.rpcrdma4j.interop.access.Change.Time;
import java.util.List;

/**
 * Cases of SETATTR and CREATE on FIFOs and devices. They come last: a server that opens a FIFO to
 * change it hangs, and calls of other callers may hang too.
 */
record SpecialFileCases(Cases cases) {
    void add() {
        cases.group("special-file");
        for (var kind : List.of(Kind.CHARACTER, Kind.BLOCK, Kind.FIFO)) {
            var file = CaseFile.of(kind, "s", OWNER_UID, SHARED_GID, 0666);
            for (var caller : List.of(OWNER, OTHER)) {
                cases.add(kind + " chmod", caller, setattr("s", Change.mode(06755)), file);
                cases.add(kind + " group", caller, setattr("s", Change.gid(1000)), file);
                cases.add(
                        kind + " now",
                        caller,
                        setattr("s", Change.times(Time.NOW, Time.NOW)),
                        file);
                cases.add(
                        kind + " given",
                        caller,
                        setattr("s", Change.times(Time.TO_GIVEN, Time.TO_GIVEN)),
                        file);
                cases.add(kind + " size", caller, setattr("s", Change.size(0)), file);
                cases.add(kind + " created", caller, create("s", Change.mode(0644)), file);
            }
        }
    }
}
