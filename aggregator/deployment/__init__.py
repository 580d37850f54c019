"""Starting and supervising the processes of a site: launcher, web server, embedded queue server."""
