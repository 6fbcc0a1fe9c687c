package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/** Plans of operations on files that {@link Nfs4Service} and its pipelines share. */
final class FilePlans {
    private FilePlans() {}

    static Plan status(Plan plan) {
        return plan.attributes(Nfs4Values.STATUS, Nfs4Values.STATUS_BYTES);
    }

    static Plan directory(RemotePlace place) {
        return Plan.at(Nfs4Values.handle(place.directory()));
    }

    /** No LOOKUP finds a directory itself, or the one above (RFC 8881, Section 18.13.3). */
    static Plan looking(RemotePlace place) {
        var directory = directory(place);
        if (!place.name().isDots()) {
            return directory.lookup(place.name());
        }
        return place.name().equals(FileName.PARENT) ? directory.parent() : directory;
    }

    static Plan changing(FileHandle file, AttributeChanges changes) {
        return Plan.at(Nfs4Values.handle(file)).change(Nfs4Values.changes(changes));
    }

    static Planning reading(OpenFile file, long offset, MemorySegment target, String what) {
        var handle = Nfs4Values.handle(file.handle());
        Function<StateId, Plan> plan = stateId -> Plan.at(handle).read(stateId, offset, target);
        return ((UsedFile) file)
                .use(what, readsWithAttributes(file) ? plan.andThen(FilePlans::status) : plan);
    }

    /** Who reads all of a file at once wants to know whether it is as it was listed. */
    static boolean readsWithAttributes(OpenFile file) {
        return file instanceof OpenAtNeed;
    }

    static Planning writing(
            OpenFile file, long offset, Stability stability, MemorySegment data, String what) {
        var handle = Nfs4Values.handle(file.handle());
        return ((UsedFile) file)
                .use(what, stateId -> Plan.at(handle).write(stateId, offset, stability, data));
    }

    static Plan removing(Plan plan, RemotePlace place) {
        return plan.file(Nfs4Values.handle(place.directory())).remove(place.name());
    }

    static Plan renaming(RemotePlace from, RemotePlace to) {
        return directory(from)
                .save()
                .file(Nfs4Values.handle(to.directory()))
                .rename(from.name(), to.name());
    }

    /** The change comes first: a file that has its name has its attributes. */
    static Plan changingAndRenaming(
            FileHandle file, AttributeChanges changes, RemotePlace from, RemotePlace to) {
        return changing(file, changes)
                .file(Nfs4Values.handle(from.directory()))
                .save()
                .file(Nfs4Values.handle(to.directory()))
                .rename(from.name(), to.name());
    }
}
