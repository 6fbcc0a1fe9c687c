/** The cells of the Linux matrix, their checks, and the report of a run. */
package io.github.rpcrdma4j.interop.matrix;
