"""What starts and supervises the processes of a site: launch, web server, embedded queue."""
