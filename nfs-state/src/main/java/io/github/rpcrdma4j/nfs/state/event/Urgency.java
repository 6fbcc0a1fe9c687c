package io.github.rpcrdma4j.nfs.state.event;

/** How urgent calls of the server to a client are: one that waits goes before those below it. */
public enum Urgency {
    /** CB_RECALL: others wait for the file, and the client loses the delegation. */
    RECALL,
    /** All calls that are neither of the two others. */
    OTHER,
    /** CB_GETATTR: other clients decide how many there are. */
    QUESTION
}
