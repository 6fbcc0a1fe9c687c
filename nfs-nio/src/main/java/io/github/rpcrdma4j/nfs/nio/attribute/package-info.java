/** Attributes of files in the words of {@link java.nio.file.attribute}. */
package io.github.rpcrdma4j.nfs.nio.attribute;
