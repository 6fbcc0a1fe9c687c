/**
 * Events for JFR, the recorder of the JDK: what connections, calls and chunks did, and how long it
 * took. An event costs next to nothing unless a recording asks for it. Their names and fields are
 * in {@code docs/events.md}.
 */
package io.github.rpcrdma4j.rpcrdma.events;
