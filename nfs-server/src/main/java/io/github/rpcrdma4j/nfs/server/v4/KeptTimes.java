package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.state.event.DelegatedTimes;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.time.Instant;
import java.util.Comparator;

/**
 * The bounds for the access and modify times that a client reports of a file under its delegation:
 * from the grant until now (RFC 9754, Section 5). A time that is not later than at the grant
 * changes nothing. A time later than now counts as now.
 *
 * @param granted the times of the file at the grant
 */
record KeptTimes(DelegatedTimes granted, Instant now) {
    private static final Comparator<Timestamp> ORDER =
            Comparator.comparingLong(Timestamp::seconds).thenComparingInt(Timestamp::nanos);

    /** Returns the change of the time of the last access. */
    TimeChange accessed(Timestamp told) {
        return change(granted.accessed(), told);
    }

    /** Returns the change of the time of the last change of the content. */
    TimeChange modified(Timestamp told) {
        return change(granted.modified(), told);
    }

    /**
     * A time that is invalid, or not later than at the grant, changes nothing; a later one than now
     * is now.
     */
    private TimeChange change(Timestamp before, Timestamp told) {
        if (!told.isValid() || ORDER.compare(told, before) <= 0) {
            return new TimeChange.Keep();
        }
        var limit = new Timestamp(now.getEpochSecond(), now.getNano());
        var time = ORDER.compare(told, limit) > 0 ? limit : told;
        return new TimeChange.To(new Time(time.seconds(), time.nanos()));
    }
}
